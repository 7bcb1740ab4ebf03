// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A part of a document that tests generate, between two markers.
 *
 * @param name the name in the markers
 * @param source its source in words, such as "what the contract runs say"
 */
public record GeneratedPart(String name, String source) {

  /**
   * Checks that {@code document} has {@code content} between its markers. With the system property
   * {@code retrysafe.docs=write} it is written there instead.
   *
   * @throws AssertionError if it has something else there
   */
  public void verify(Path document, String content) {
    String first = "<!-- " + name + ":begin -->\n";
    String last = "<!-- " + name + ":end -->";
    try {
      String text = Files.readString(document);
      int begin = text.indexOf(first);
      int end = text.indexOf(last);
      if (begin < 0 || end < begin) {
        throw new AssertionError(
            document + " has no place for the table: it needs " + first.strip() + " and " + last);
      }
      String renewed = text.substring(0, begin) + first + content + text.substring(end);
      if (text.equals(renewed)) {
        return;
      }
      if (!"write".equals(System.getProperty("retrysafe.docs"))) {
        throw new AssertionError(
            "the table in "
                + document
                + " is not "
                + source
                + "; run again with -Dretrysafe.docs=write, then look at the difference. It would be:\n"
                + content);
      }
      Files.writeString(document, renewed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
