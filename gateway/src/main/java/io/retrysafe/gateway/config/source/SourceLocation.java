// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

/**
 * The location of a value.
 *
 * @param source a file, a flag or an environment variable
 * @param line counted from 1; 0 if the source has no lines
 * @param column counted from 1
 */
record SourceLocation(String source, int line, int column) {
  private static final int LONGEST = 600;

  static SourceLocation of(String source) {
    return new SourceLocation(source, 0, 0);
  }

  /** Returns an error at this location. Control characters in the message are replaced. */
  ConfigException error(String message) {
    String shown = message.replaceAll("\\p{Cntrl}", "?");
    return new ConfigException(
        this, shown.length() > LONGEST ? shown.substring(0, LONGEST) + "…" : shown);
  }

  @Override
  public String toString() {
    return line == 0 ? source : source + ", line " + line + ", column " + column;
  }
}
