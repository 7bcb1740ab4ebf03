// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/**
 * Files that only their owner may read: stored answers contain what customers sent and got. SQLite
 * gives its companion files the permissions of the database, so that one has to exist first. On
 * file systems without POSIX permissions nothing is changed.
 */
final class OwnerOnly {
  private static final Set<PosixFilePermission> PERMISSIONS =
      PosixFilePermissions.fromString("rw-------");
  private static final List<String> COMPANIONS = List.of("", "-wal", "-shm", "-journal", ".lock");

  private OwnerOnly() {}

  /** Creates the database if it is missing, and takes it and its companions from all others. */
  static void makeOwn(Path database) {
    try {
      create(database);
      for (String suffix : COMPANIONS) {
        Path file = database.resolveSibling(database.getFileName() + suffix);
        PosixFileAttributeView view =
            Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null && Files.exists(file)) {
          view.setPermissions(PERMISSIONS);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot make " + database + " readable by its owner only; chmod it to 600", e);
    }
  }

  /** Creates an empty file unless it is there. */
  static void create(Path file) throws IOException {
    boolean isPosix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    try {
      if (isPosix) {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PERMISSIONS));
      } else {
        Files.createFile(file);
      }
    } catch (FileAlreadyExistsException e) {
      // Its permissions are set later.
    }
  }
}
