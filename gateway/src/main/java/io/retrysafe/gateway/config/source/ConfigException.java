// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

/**
 * An invalid configuration. The message has the location of the value, the value and what is
 * allowed, and no secret.
 */
public final class ConfigException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String source;

  ConfigException(SourceLocation location, String message) {
    super(location + ": " + message);
    this.source = location.source();
  }

  /**
   * Returns whether the invalid value came from a flag rather than from a file or the environment.
   */
  public boolean isFlag() {
    return source.startsWith("--");
  }
}
