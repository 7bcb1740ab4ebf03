// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.body;

import io.retrysafe.Bytes;
import io.retrysafe.http.internal.digest.FramedDigest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request body in while it arrives: hashes it, holds its beginning in memory, moves it to a
 * temporary file when it grows, and refuses it when it grows too large. For one thread at a time.
 */
public final class BodySpool implements AutoCloseable {
  private final long inMemory;
  private final long limit;
  private final MessageDigest digest = FramedDigest.sha256();

  /** Begins empty: most bodies come in one piece, and it then takes no more than that. */
  private @Nullable ByteArrayOutputStream memory = new ByteArrayOutputStream(0);

  private @Nullable Path file;
  private @Nullable OutputStream out;
  private long size;
  private boolean isLeavingMemory;

  private BodySpool(long inMemory, long limit) {
    this.inMemory = Math.min(inMemory, limit);
    this.limit = limit;
  }

  /**
   * Returns an empty spool.
   *
   * @param inMemory how many bytes stay in memory; a longer body moves to a temporary file
   * @param limit how many bytes a body may have
   */
  public static BodySpool create(long inMemory, long limit) {
    return new BodySpool(inMemory, limit);
  }

  /**
   * Removes the temporary files of processes that were killed. Failures are logged and otherwise
   * ignored.
   */
  public static void removeLeftovers() {
    SpoolFiles.removeLeftovers();
  }

  /** Reads {@code in} to its end; returns false, and reads no further, if it is too large. */
  public boolean readFrom(InputStream in) throws IOException {
    byte[] buffer = new byte[8192];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      if (!write(buffer, 0, count)) {
        return false;
      }
    }
    return true;
  }

  /** Returns how many bytes were taken so far. */
  public long size() {
    return size;
  }

  /** Returns whether so many more bytes are taken without touching a disk. */
  public boolean staysInMemory(int count) {
    return memory != null && !isLeavingMemory && size + count <= inMemory;
  }

  /** Moves what there is to a temporary file when more comes: there is no room for it in memory. */
  public void leaveMemory() {
    isLeavingMemory = true;
  }

  /** Takes the next bytes; returns false, and takes none of them, if that were too many. */
  public boolean write(byte[] bytes, int offset, int count) throws IOException {
    if (size + count > limit) {
      return false;
    }
    digest.update(bytes, offset, count);
    size += count;
    if (memory != null && (isLeavingMemory || size > inMemory)) {
      file = SpoolFiles.create();
      out = Files.newOutputStream(file);
      memory.writeTo(out);
      memory = null;
    }
    OutputStream target = memory == null ? out : memory;
    if (target != null) {
      target.write(bytes, offset, count);
    }
    return true;
  }

  /** Ends the body; the spool gives it away and need not be closed any more. */
  public RequestBody body() throws IOException {
    Bytes sha256 = Bytes.wrap(digest.digest());
    if (memory != null) {
      return RequestBody.inMemory(memory.toByteArray(), sha256);
    }
    if (file == null || out == null) {
      throw new IllegalStateException("the body was given away or given up before");
    }
    out.close();
    RequestBody body = RequestBody.inFile(file, size, sha256);
    file = null;
    return body;
  }

  /** Gives the body up. Its file is removed also if it cannot be closed. */
  @Override
  public void close() throws IOException {
    try {
      if (out != null) {
        out.close();
      }
    } finally {
      if (file != null) {
        Files.deleteIfExists(file);
        file = null;
      }
    }
  }
}
