// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

/** An error answer of the admin API, or none at all. */
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
