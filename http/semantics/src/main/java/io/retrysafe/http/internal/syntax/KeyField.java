// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import io.retrysafe.OperationKey;
import java.util.List;
import org.greenbytes.http.sfv.Item;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/**
 * The key in a request header. The standard's quoted form and the bare value that most clients send
 * are the same key, so that a client or proxy that changes the quoting between retries does not
 * cause a second run.
 */
public final class KeyField {
  private KeyField() {}

  /** Thrown for a field that is not a key; says what is wrong, never the value. */
  public static final class InvalidException extends Exception {
    private static final long serialVersionUID = 1L;

    public InvalidException(String message) {
      super(message);
    }
  }

  /** Returns the key that the lines of the field give. */
  public static String parse(List<String> lines) throws InvalidException {
    if (lines.size() != 1) {
      throw new InvalidException("it was sent " + lines.size() + " times, once is right");
    }
    String line = stripped(lines.get(0));
    String key = line.startsWith("\"") ? quoted(line) : bare(line);
    check(key);
    return key;
  }

  private static String quoted(String line) throws InvalidException {
    try {
      Item<?> item = new Parser(line).parseItem();
      if (item instanceof StringItem string) {
        return string.get();
      }
    } catch (ParseException e) {
      // Its message would quote the key.
    }
    throw new InvalidException(
        "it begins with a quotation mark but is not one quoted string of a Structured Field");
  }

  /**
   * Quotation marks, backslashes and commas are refused: they are the remains of a quoted value or
   * of several lines that were joined on the way.
   */
  private static String bare(String line) throws InvalidException {
    if (line.chars().anyMatch(c -> c == '"' || c == '\\' || c == ',')) {
      throw new InvalidException(
          "a value with quotation marks, backslashes or commas must be a quoted string of a"
              + " Structured Field");
    }
    return line;
  }

  private static void check(String key) throws InvalidException {
    if (key.isBlank()) {
      throw new InvalidException("it is empty");
    }
    if (key.length() > OperationKey.LONGEST) {
      throw new InvalidException(
          "it has "
              + key.length()
              + " characters, at most "
              + OperationKey.LONGEST
              + " are allowed");
    }
    for (int i = 0; i < key.length(); i++) {
      if (key.charAt(i) < ' ' || key.charAt(i) > '~') {
        throw new InvalidException(
            "it may only contain visible ASCII characters and inner spaces; character %d is U+%04X"
                .formatted(i + 1, (int) key.charAt(i)));
      }
    }
    if (key.startsWith(" ") || key.endsWith(" ")) {
      throw new InvalidException("it begins or ends with a space");
    }
  }

  /** Removes what a field value may have around it, and nothing else. */
  private static String stripped(String line) {
    int from = 0;
    int to = line.length();
    while (from < to && isBlank(line.charAt(from))) {
      from++;
    }
    while (to > from && isBlank(line.charAt(to - 1))) {
      to--;
    }
    return line.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
