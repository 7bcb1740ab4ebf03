// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;

/** Detects files with secrets that every user of the machine can read. */
final class SecretFiles {
  private SecretFiles() {}

  /**
   * Returns a warning if others can read a file; empty on file systems without POSIX permissions.
   *
   * @param what which secrets it holds
   */
  static Optional<String> warning(Path file, String what) {
    return isReadableByOthers(file)
        ? Optional.of(
            "%s holds secrets (%s) and every user of this machine can read it: chmod 600 %s"
                .formatted(file, what, file))
        : Optional.empty();
  }

  private static boolean isReadableByOthers(Path file) {
    try {
      return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }
}
