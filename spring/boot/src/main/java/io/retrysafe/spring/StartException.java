// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import org.jspecify.annotations.Nullable;

/** Why an application must not start, and what to do about it. */
final class StartException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String action;

  StartException(String description, String action) {
    this(description, action, null);
  }

  StartException(String description, String action, @Nullable Throwable cause) {
    super(description, cause);
    this.action = action;
  }

  String action() {
    return action;
  }
}
