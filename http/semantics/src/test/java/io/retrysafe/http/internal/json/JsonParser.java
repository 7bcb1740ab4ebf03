// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

import io.retrysafe.http.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A second reader of JSON, which {@link CanonicalJson} is compared with. It is as strict: RFC 8259
 * in UTF-8, no member twice, no lone surrogates, no deeper than {@value #DEEPEST}. What two parsers
 * could read differently is refused.
 */
public final class JsonParser {
  static final int DEEPEST = 500;

  private final String text;
  private int at;
  private int depth;

  private JsonParser(String text) {
    this.text = text;
  }

  public static Json parse(byte[] utf8) throws MalformedJsonException {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedJsonException("it is not UTF-8");
    }
    JsonParser parser = new JsonParser(text);
    Json json = parser.value();
    parser.space();
    if (parser.at < text.length()) {
      throw parser.malformed("nothing was expected after the value");
    }
    return json;
  }

  private Json value() throws MalformedJsonException {
    space();
    return switch (peek()) {
      case '{' -> members();
      case '[' -> elements();
      case '"' -> new Json.Text(string());
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> number();
    };
  }

  private Json members() throws MalformedJsonException {
    Map<String, Json> byName = new HashMap<>();
    deeper();
    boolean more = !isClosedBy('}');
    while (more) {
      space();
      if (peek() != '"') {
        throw malformed("a member's name was expected");
      }
      String name = string();
      space();
      take(':');
      if (byName.put(name, value()) != null) {
        throw malformed("a member occurs twice in its object");
      }
      more = isFollowedBy(',', '}');
    }
    depth--;
    return new Json.Members(byName);
  }

  private Json elements() throws MalformedJsonException {
    List<Json> list = new ArrayList<>();
    deeper();
    boolean more = !isClosedBy(']');
    while (more) {
      list.add(value());
      more = isFollowedBy(',', ']');
    }
    depth--;
    return new Json.Elements(list);
  }

  private void deeper() throws MalformedJsonException {
    if (++depth > DEEPEST) {
      throw malformed("it is nested deeper than " + DEEPEST);
    }
    at++;
  }

  private boolean isClosedBy(char end) {
    space();
    if (peek() != end) {
      return false;
    }
    at++;
    return true;
  }

  private boolean isFollowedBy(char separator, char end) throws MalformedJsonException {
    if (isClosedBy(end)) {
      return false;
    }
    take(separator);
    return true;
  }

  private String string() throws MalformedJsonException {
    StringBuilder out = new StringBuilder();
    at++;
    while (peek() != '"') {
      char c = next();
      if (c < ' ') {
        throw malformed("a control character must be escaped");
      }
      out.append(c == '\\' ? escaped() : c);
    }
    at++;
    for (int i = 0; i < out.length(); i++) {
      if (Character.isSurrogate(out.charAt(i))) {
        boolean isPair =
            i + 1 < out.length() && Character.isSurrogatePair(out.charAt(i), out.charAt(i + 1));
        if (!isPair) {
          throw malformed("a surrogate stands alone");
        }
        i++;
      }
    }
    return out.toString();
  }

  private char escaped() throws MalformedJsonException {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw malformed("there is no such escape");
    };
  }

  private char unicode() throws MalformedJsonException {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      char c = next();
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw malformed("four hexadecimal digits were expected");
      }
      code = code * 16 + digit;
    }
    return (char) code;
  }

  private Json word(String word) throws MalformedJsonException {
    if (!text.startsWith(word, at)) {
      throw malformed("a value was expected");
    }
    at += word.length();
    return new Json.Lexeme(word);
  }

  private Json number() throws MalformedJsonException {
    int from = at;
    if (peek() == '-') {
      at++;
    }
    if (peek() == '0') {
      at++;
    } else {
      digits();
    }
    if (peek() == '.') {
      at++;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      at++;
      if (peek() == '+' || peek() == '-') {
        at++;
      }
      digits();
    }
    return new Json.Lexeme(text.substring(from, at));
  }

  private void digits() throws MalformedJsonException {
    int from = at;
    while (peek() >= '0' && peek() <= '9') {
      at++;
    }
    if (at == from) {
      throw malformed("a value was expected");
    }
  }

  private void space() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  /** Returns the next character without taking it; NUL, which fits nowhere, at the end. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private char next() throws MalformedJsonException {
    if (at >= text.length()) {
      throw malformed("it ends too early");
    }
    return text.charAt(at++);
  }

  private void take(char c) throws MalformedJsonException {
    if (peek() != c) {
      throw malformed("\"" + c + "\" was expected");
    }
    at++;
  }

  private MalformedJsonException malformed(String what) {
    return new MalformedJsonException("at character " + (at + 1) + " " + what);
  }
}
