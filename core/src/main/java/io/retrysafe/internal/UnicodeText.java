// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

/**
 * Checks text that is stored. A Java string may hold half of a surrogate pair, which has no UTF-8
 * form: encoders write a question mark, so that two names become one. Some databases refuse NUL.
 *
 * <p>Names are checked where they enter and refused. Text for people is stored in any case, with
 * the replacement character U+FFFD for what cannot be.
 */
public final class UnicodeText {
  private static final char REPLACEMENT = '\uFFFD';

  private UnicodeText() {}

  /**
   * Returns {@code text} if it is well-formed Unicode.
   *
   * @param what the name of the value, for the message
   * @throws IllegalArgumentException if it holds a lone surrogate
   */
  public static String checked(String what, String text) {
    int at = firstLoneSurrogate(text);
    if (at >= 0) {
      throw new IllegalArgumentException(
          "%s must be well-formed Unicode; character %d is the lone surrogate U+%04X"
              .formatted(what, at + 1, (int) text.charAt(at)));
    }
    return text;
  }

  /**
   * Returns {@code text} if it is well-formed Unicode without NUL.
   *
   * @param what the name of the value, for the message
   * @throws IllegalArgumentException if it is not
   */
  public static String checkedWithoutNul(String what, String text) {
    int at = text.indexOf('\0');
    if (at >= 0) {
      throw new IllegalArgumentException(
          "%s must not contain NUL; character %d is".formatted(what, at + 1));
    }
    return checked(what, text);
  }

  /**
   * Returns {@code text} as every store can keep it: with U+FFFD for NUL and for lone surrogates,
   * and cut after {@code most} characters.
   */
  public static String storable(String text, int most) {
    String cut = text.length() <= most ? text : text.substring(0, most);
    if (cut.indexOf('\0') < 0 && firstLoneSurrogate(cut) < 0) {
      return cut;
    }
    StringBuilder replaced = new StringBuilder(cut);
    for (int i = 0; i < replaced.length(); i++) {
      if (replaced.charAt(i) == '\0' || isLone(cut, i)) {
        replaced.setCharAt(i, REPLACEMENT);
      }
    }
    return replaced.toString();
  }

  private static int firstLoneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isLone(text, i)) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isLone(String text, int at) {
    char c = text.charAt(at);
    if (!Character.isSurrogate(c)) {
      return false;
    }
    return Character.isHighSurrogate(c)
        ? at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1))
        : at == 0 || !Character.isHighSurrogate(text.charAt(at - 1));
  }
}
