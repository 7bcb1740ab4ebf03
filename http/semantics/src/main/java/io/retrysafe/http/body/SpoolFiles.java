// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.body;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The temporary files of request bodies, readable by their owner only. Their names contain an id of
 * the process, which holds a lock on a file with that id for as long as it lives. So files of
 * processes that were killed can be told from those in use, also where several processes, or
 * containers, share a folder.
 */
final class SpoolFiles {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.http");
  private static final String BODY = "retrysafe-body-";
  private static final String LOCK = "retrysafe-spool-";
  private static final String LOCK_END = ".lock";
  private static final Pattern ID = Pattern.compile("[0-9a-f-]{36}");

  private static @Nullable SpoolFiles own;

  private final Path folder;
  private final Path lockFile;
  private final String id;

  /** Held until the process ends; never closed. */
  private final FileChannel lock;

  private SpoolFiles(Path folder, Path lockFile, String id, FileChannel lock) {
    this.folder = folder;
    this.lockFile = lockFile;
    this.id = id;
    this.lock = lock;
  }

  /** Creates an empty file. */
  static Path create() throws IOException {
    return own().body();
  }

  private static synchronized SpoolFiles own() throws IOException {
    if (own == null || !own.isThere()) {
      own = open(Path.of(System.getProperty("java.io.tmpdir", ".")));
    }
    return own;
  }

  private static SpoolFiles open(Path folder) throws IOException {
    while (true) {
      String id = UUID.randomUUID().toString();
      Path file = folder.resolve(LOCK + id + LOCK_END);
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      // Another process may have taken the new file for one of a dead process just before.
      if (channel.tryLock() != null && Files.exists(file)) {
        return new SpoolFiles(folder, file, id, channel);
      }
      channel.close();
    }
  }

  /** Returns whether the lock still protects anything: people empty temporary folders. */
  private boolean isThere() {
    return lock.isOpen() && Files.exists(lockFile);
  }

  private Path body() throws IOException {
    return Files.createTempFile(folder, BODY + id + "-", null);
  }

  /** Removes the files that killed processes left behind. Failures are logged only. */
  static void removeLeftovers() {
    removeLeftovers(Path.of(System.getProperty("java.io.tmpdir", ".")));
  }

  /** Other users may write to the folder too: a file of theirs must not stop or mislead this. */
  static void removeLeftovers(Path folder) {
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(folder, LOCK + "*" + LOCK_END)) {
      for (Path file : locks) {
        try {
          removeUnlessLocked(file);
        } catch (IOException e) {
          notRemoved(file, e);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      notRemoved(folder, e);
    }
  }

  private static void notRemoved(Path where, Exception e) {
    LOG.log(
        System.Logger.Level.WARNING,
        "temporary files of earlier processes could not be removed, see {0}: {1}",
        where,
        e);
  }

  /** Returns the id in the name of a lock file; nothing if this class did not make the name. */
  private static Optional<String> id(Path file) {
    String name = String.valueOf(file.getFileName());
    String id = name.substring(LOCK.length(), name.length() - LOCK_END.length());
    return ID.matcher(id).matches() ? Optional.of(id) : Optional.empty();
  }

  private static void removeUnlessLocked(Path file) throws IOException {
    // Opening a second channel and closing it would give up this process's own lock.
    synchronized (SpoolFiles.class) {
      if (own != null && own.lockFile.equals(file)) {
        return;
      }
    }
    Optional<String> id = id(file);
    if (id.isEmpty()) {
      return;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock != null) {
        try (DirectoryStream<Path> bodies =
            Files.newDirectoryStream(file.resolveSibling("."), BODY + id.get() + "-*")) {
          for (Path body : bodies) {
            Files.deleteIfExists(body);
          }
        }
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException | OverlappingFileLockException e) {
      // Another process, or another guard of this one, is removing it.
    }
  }
}
