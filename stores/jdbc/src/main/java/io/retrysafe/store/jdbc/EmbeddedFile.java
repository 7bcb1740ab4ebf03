// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.internal.SteadyClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A database file that this process has to itself. All stores of the process on one file share it,
 * and its clock: times in the file are compared on one clock only.
 */
final class EmbeddedFile {
  private static final ReentrantLock GUARD = new ReentrantLock();
  private static final Map<Path, EmbeddedFile> OPEN = new HashMap<>();

  private final Path path;
  private final FileChannel channel;
  private final SteadyClock clock = SteadyClock.create();
  private int users;

  private EmbeddedFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Takes the file for this process.
   *
   * @throws IllegalStateException if another process has it
   */
  static EmbeddedFile take(Path file) {
    GUARD.lock();
    try {
      Path path = file.toAbsolutePath().normalize();
      EmbeddedFile open = OPEN.get(path);
      if (open == null) {
        open = new EmbeddedFile(path, locked(path));
        OwnerOnly.makeOwn(path);
        OPEN.put(path, open);
      }
      open.users++;
      return open;
    } finally {
      GUARD.unlock();
    }
  }

  long now() {
    return Micros.of(clock.instant());
  }

  void release() {
    GUARD.lock();
    try {
      users--;
      if (users == 0) {
        OPEN.remove(path);
        channel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      GUARD.unlock();
    }
  }

  // Closing the channel is what gives the file up.
  private static FileChannel locked(Path path) {
    Path lockFile = path.resolveSibling(path.getFileName() + ".lock");
    FileChannel channel = null;
    try {
      OwnerOnly.create(lockFile);
      channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = tryLock(channel);
      if (lock != null) {
        return channel;
      }
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot take " + lockFile, e);
    }
    throw new IllegalStateException(
        path + " is in use by another process; an embedded store belongs to one process at a time");
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }
}
