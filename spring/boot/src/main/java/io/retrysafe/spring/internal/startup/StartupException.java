// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.startup;

import org.jspecify.annotations.Nullable;

/** An error that stops the application at startup, with advice on how to fix it. */
public final class StartupException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String action;

  public StartupException(String description, String action) {
    this(description, action, null);
  }

  public StartupException(String description, String action, @Nullable Throwable cause) {
    super(description, cause);
    this.action = action;
  }

  String action() {
    return action;
  }
}
