// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

import io.retrysafe.http.body.BodyMemory;
import io.retrysafe.internal.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON text once, as a stream, and returns {@linkplain JsonToken tokens} of its canonical
 * form.
 *
 * <p><b>Strict.</b> RFC 8259 in UTF-8, no member twice, no lone surrogates, no deeper than {@value
 * #DEEPEST}. Text that two parsers could read differently is refused.
 *
 * <p><b>Canonical.</b> No white space, only necessary escapes, members sorted by their names'
 * tokens. Numbers stay as they were written: 9007199254740993, 1.0 and 1e2 are different from each
 * other and from every other number.
 *
 * <p><b>Bounded.</b> Arrays and strings are digested while they are read. Only the members of open
 * objects are held, as tokens, because they must be sorted: at most {@value #MOST_MEMBERS} in an
 * object and {@link JsonMemory#MOST} bytes in all.
 */
public final class CanonicalJson {
  static final int DEEPEST = 500;
  static final int MOST_MEMBERS = 50_000;

  private static final byte[] EMPTY_OBJECT = {'{', '}'};
  private static final byte[] EMPTY_ARRAY = {'[', ']'};
  private static final int END = -1;

  /** A member of an object, by its tokens. */
  private static final class Member {
    private final byte[] name;
    private final byte[] value;

    Member(byte[] name, byte[] value) {
      this.name = name;
      this.value = value;
    }
  }

  private final InputStream in;
  private final JsonMemory memory;
  private final JsonPointerMatcher places;
  private final byte[] buffer = new byte[8192];
  private int at;
  private int limit;
  private long consumed;
  private int depth;

  private CanonicalJson(InputStream in, JsonMemory memory, List<JsonPointer> pointers) {
    this.in = in;
    this.memory = memory;
    this.places = new JsonPointerMatcher(pointers);
  }

  /** Returns the token of the whole text. */
  static byte[] token(InputStream in, BodyMemory budget)
      throws MalformedJsonException, IOException {
    byte[] token = tokens(in, List.of(JsonPointer.ROOT), budget).get(0);
    if (token == null) {
      throw new IllegalStateException("every JSON text has a root");
    }
    return token;
  }

  /** Returns the tokens at these places, in their order; null where there is nothing. */
  public static List<byte @Nullable []> tokens(
      InputStream in, List<JsonPointer> pointers, BodyMemory budget)
      throws MalformedJsonException, IOException {
    try (JsonMemory memory = new JsonMemory(budget)) {
      CanonicalJson json = new CanonicalJson(in, memory, pointers);
      json.root();
      return json.places.found();
    }
  }

  /** Returns the token of a text in its canonical spelling. */
  static byte[] tokenOf(String text) {
    JsonToken token = new JsonToken(null);
    StringBuilder spelled = new StringBuilder();
    Json.string(spelled, text);
    token.add(spelled.toString().getBytes(StandardCharsets.UTF_8));
    return token.end();
  }

  private void root() throws MalformedJsonException, IOException {
    value(new JsonToken(null), places.root());
    space();
    if (peek() != END) {
      throw malformed("nothing was expected after the value");
    }
  }

  /** Reads a value into {@code out}, and into a token of its own where a pointer leads to it. */
  private void value(JsonToken out, JsonPointerMatcher.Here here)
      throws MalformedJsonException, IOException {
    if (!here.isWanted()) {
      plainValue(out, here);
      return;
    }
    JsonToken own = new JsonToken(out);
    plainValue(own, here);
    here.found(own.end());
  }

  private void plainValue(JsonToken out, JsonPointerMatcher.Here here)
      throws MalformedJsonException, IOException {
    space();
    switch (peek()) {
      case '{' -> object(out, here);
      case '[' -> array(out, here);
      case '"' -> string(out);
      case 't' -> word(out, "true");
      case 'f' -> word(out, "false");
      case 'n' -> word(out, "null");
      default -> number(out);
    }
  }

  private void object(JsonToken out, JsonPointerMatcher.Here here)
      throws MalformedJsonException, IOException {
    deeper();
    if (isClosedBy('}')) {
      depth--;
      out.add(EMPTY_OBJECT);
      return;
    }
    List<Member> members = new ArrayList<>(4);
    do {
      space();
      if (peek() != '"') {
        throw malformed("a member's name was expected");
      }
      JsonToken nameToken = new JsonToken(null);
      string(nameToken);
      byte[] name = nameToken.end();
      space();
      take(':');
      JsonToken valueToken = new JsonToken(null);
      value(valueToken, here.member(name));
      Member member = new Member(name, valueToken.end());
      if (members.size() == MOST_MEMBERS) {
        throw malformed("an object has more than " + MOST_MEMBERS + " members");
      }
      memory.hold(member.name, member.value);
      members.add(member);
    } while (isFollowedBy(',', '}'));
    depth--;
    write(members, out);
  }

  private void write(List<Member> members, JsonToken out) throws MalformedJsonException {
    members.sort((one, other) -> Arrays.compareUnsigned(one.name, other.name));
    Member previous = null;
    for (Member member : members) {
      if (previous != null && Arrays.equals(previous.name, member.name)) {
        throw malformed("a member occurs twice in the object that ends here");
      }
      out.add(previous == null ? '{' : ',');
      out.add(member.name);
      out.add(':');
      out.add(member.value);
      memory.release(member.name, member.value);
      previous = member;
    }
    out.add('}');
  }

  private void array(JsonToken out, JsonPointerMatcher.Here here)
      throws MalformedJsonException, IOException {
    deeper();
    if (isClosedBy(']')) {
      depth--;
      out.add(EMPTY_ARRAY);
      return;
    }
    int index = 0;
    do {
      out.add(index == 0 ? '[' : ',');
      value(out, here.element(index++));
    } while (isFollowedBy(',', ']'));
    depth--;
    out.add(']');
  }

  private void deeper() throws MalformedJsonException {
    if (++depth > DEEPEST) {
      throw malformed("it is nested deeper than " + DEEPEST);
    }
    at++;
  }

  private boolean isClosedBy(char end) throws IOException {
    space();
    if (peek() != end) {
      return false;
    }
    at++;
    return true;
  }

  private boolean isFollowedBy(char separator, char end)
      throws MalformedJsonException, IOException {
    if (isClosedBy(end)) {
      return false;
    }
    take(separator);
    return true;
  }

  private void string(JsonToken out) throws MalformedJsonException, IOException {
    out.add('"');
    at++;
    while (true) {
      int from = at;
      while (at < limit && isPlain(buffer[at])) {
        at++;
      }
      out.add(buffer, from, at);
      int c = peek();
      if (c == '"') {
        at++;
        out.add('"');
        return;
      } else if (c == '\\') {
        at++;
        escape(out);
      } else if (c >= 0x80) {
        character(out);
      } else if (c == END) {
        throw malformed("it ends too early");
      } else if (c < ' ') {
        throw malformed("a control character must be escaped");
      }
    }
  }

  private static boolean isPlain(byte b) {
    return b >= ' ' && b != '"' && b != '\\';
  }

  /** Reads a character of several bytes; only its one well-formed spelling is accepted. */
  private void character(JsonToken out) throws MalformedJsonException, IOException {
    int first = next();
    int count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    int code = first & (0xff >> (count + 1));
    byte[] bytes = new byte[count];
    bytes[0] = (byte) first;
    for (int i = 1; i < count; i++) {
      int c = peek();
      if (c < 0x80 || c > 0xbf) {
        throw malformed("it is not UTF-8");
      }
      at++;
      bytes[i] = (byte) c;
      code = code << 6 | (c & 0x3f);
    }
    int least = count == 2 ? 0x80 : count == 3 ? 0x800 : 0x10000;
    boolean isSurrogate = code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE;
    if (first < 0xc2 || first > 0xf4 || code < least || code > 0x10ffff || isSurrogate) {
      throw malformed("it is not UTF-8");
    }
    out.add(bytes);
  }

  private void escape(JsonToken out) throws MalformedJsonException, IOException {
    int c = next();
    switch (c) {
      case '/' -> out.add('/');
      case '"', '\\', 'b', 'f', 'n', 'r', 't' -> {
        out.add('\\');
        out.add((char) c);
      }
      case 'u' -> unicode(out);
      default -> throw malformed("there is no such escape");
    }
  }

  private void unicode(JsonToken out) throws MalformedJsonException, IOException {
    StringBuilder text = new StringBuilder(2).append(unit());
    if (Character.isHighSurrogate(text.charAt(0)) && peek() == '\\') {
      at++;
      if (next() != 'u') {
        throw malformed("a surrogate stands alone");
      }
      text.append(unit());
    }
    boolean isPair = text.length() == 2 && Character.isLowSurrogate(text.charAt(1));
    if (Character.isSurrogate(text.charAt(0)) && !isPair) {
      throw malformed("a surrogate stands alone");
    }
    StringBuilder spelled = new StringBuilder();
    Json.string(spelled, text.toString());
    byte[] bytes = spelled.toString().getBytes(StandardCharsets.UTF_8);
    out.add(bytes, 1, bytes.length - 1);
  }

  private char unit() throws MalformedJsonException, IOException {
    int code = 0;
    for (int i = 0; i < 4; i++) {
      int c = next();
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw malformed("four hexadecimal digits were expected");
      }
      code = code * 16 + digit;
    }
    return (char) code;
  }

  private void word(JsonToken out, String word) throws MalformedJsonException, IOException {
    for (int i = 0; i < word.length(); i++) {
      if (peek() != word.charAt(i)) {
        throw malformed("a value was expected");
      }
      at++;
      out.add(word.charAt(i));
    }
  }

  private void number(JsonToken out) throws MalformedJsonException, IOException {
    if (peek() == '-') {
      copy(out);
    }
    if (peek() == '0') {
      copy(out);
    } else {
      digits(out);
    }
    if (peek() == '.') {
      copy(out);
      digits(out);
    }
    if (peek() == 'e' || peek() == 'E') {
      copy(out);
      if (peek() == '+' || peek() == '-') {
        copy(out);
      }
      digits(out);
    }
  }

  private void digits(JsonToken out) throws MalformedJsonException, IOException {
    if (peek() < '0' || peek() > '9') {
      throw malformed("a value was expected");
    }
    while (peek() >= '0' && peek() <= '9') {
      copy(out);
    }
  }

  private void copy(JsonToken out) {
    out.add((char) buffer[at++]);
  }

  private void space() throws IOException {
    int c = peek();
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      at++;
      c = peek();
    }
  }

  /** Returns the next byte without taking it, or {@link #END}. */
  private int peek() throws IOException {
    if (at == limit) {
      consumed += limit;
      at = 0;
      limit = Math.max(0, in.read(buffer));
      if (limit == 0) {
        return END;
      }
    }
    return buffer[at] & 0xff;
  }

  private int next() throws MalformedJsonException, IOException {
    int c = peek();
    if (c == END) {
      throw malformed("it ends too early");
    }
    at++;
    return c;
  }

  private void take(char c) throws MalformedJsonException, IOException {
    if (peek() != c) {
      throw malformed("\"" + c + "\" was expected");
    }
    at++;
  }

  private MalformedJsonException malformed(String what) {
    return new MalformedJsonException("at byte " + (consumed + at + 1) + " " + what);
  }
}
