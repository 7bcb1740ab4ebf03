// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

/**
 * A configuration that cannot be used. The message says where the value stands, what it is and what
 * is allowed, and shows no secret.
 */
public final class ConfigException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String source;

  ConfigException(SourceLocation location, String message) {
    super(location + ": " + message);
    this.source = location.source();
  }

  /** Returns whether a flag is wrong, and not a file or the environment. */
  public boolean isFlag() {
    return source.startsWith("--");
  }
}
