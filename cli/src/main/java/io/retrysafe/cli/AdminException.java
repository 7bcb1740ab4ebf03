// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

/** What the admin API said instead of doing it. */
final class AdminException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  AdminException(int status, String detail) {
    super(detail);
    this.status = status;
  }

  int status() {
    return status;
  }
}
