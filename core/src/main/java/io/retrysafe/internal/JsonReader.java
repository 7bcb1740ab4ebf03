// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads one JSON text from its beginning to its end. */
final class JsonReader {
  private static final int DEEPEST = 64;
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?");

  private final String text;
  private int at;

  JsonReader(String text) {
    this.text = text;
  }

  @Nullable Object whole() {
    Object value = value(0);
    blank();
    if (at < text.length()) {
      throw wrong("something follows the value");
    }
    return value;
  }

  private @Nullable Object value(int depth) {
    if (depth > DEEPEST) {
      throw wrong("nested too deeply");
    }
    blank();
    char c = peek();
    return switch (c) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object(int depth) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    at++;
    blank();
    if (skip('}')) {
      return members;
    }
    do {
      blank();
      String name = string();
      blank();
      expect(':');
      if (members.containsKey(name)) {
        throw wrong("the name " + name + " occurs twice");
      }
      members.put(name, value(depth + 1));
      blank();
    } while (skip(','));
    expect('}');
    return members;
  }

  private List<@Nullable Object> array(int depth) {
    List<@Nullable Object> elements = new ArrayList<>();
    at++;
    blank();
    if (skip(']')) {
      return elements;
    }
    do {
      elements.add(value(depth + 1));
      blank();
    } while (skip(','));
    expect(']');
    return elements;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) {
      if (c < ' ') {
        throw wrong("a control character in a string");
      }
      out.append(c == '\\' ? escaped() : c);
    }
    return out.toString();
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw wrong("an unknown escape");
    };
  }

  private char unicode() {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      int digit = Character.digit(next(), 16);
      if (digit < 0) {
        throw wrong("four hexadecimal digits are needed");
      }
      code = code << 4 | digit;
    }
    return (char) code;
  }

  private Number number() {
    Matcher matcher = NUMBER.matcher(text).region(at, text.length());
    if (!matcher.lookingAt()) {
      throw wrong("a value is needed");
    }
    at = matcher.end();
    boolean isWhole = matcher.group(2) == null && matcher.group(3) == null;
    try {
      return isWhole ? (Number) Long.valueOf(matcher.group()) : Double.valueOf(matcher.group());
    } catch (NumberFormatException e) {
      return Double.valueOf(matcher.group());
    }
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong("a value is needed");
    }
    at += word.length();
    return value;
  }

  private void blank() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong("it ends too early");
    }
    return text.charAt(at);
  }

  private char next() {
    char c = peek();
    at++;
    return c;
  }

  private boolean skip(char c) {
    boolean isThere = at < text.length() && text.charAt(at) == c;
    at += isThere ? 1 : 0;
    return isThere;
  }

  private void expect(char c) {
    if (!skip(c)) {
      throw wrong("a " + c + " is needed");
    }
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("this is not JSON at character " + (at + 1) + ": " + what);
  }
}
