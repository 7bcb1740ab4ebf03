// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.body;

import io.retrysafe.Bytes;
import io.retrysafe.http.internal.digest.FramedDigest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request body that was read to its end, in memory or in a temporary file. It can be read again
 * any number of times until it is closed.
 */
public final class RequestBody implements AutoCloseable {
  /** No body. Closing it does nothing. */
  public static final RequestBody EMPTY = of(Bytes.EMPTY);

  private final byte @Nullable [] bytes;
  private final @Nullable Path file;
  private final long size;
  private final Bytes sha256;

  private RequestBody(byte @Nullable [] bytes, @Nullable Path file, long size, Bytes sha256) {
    this.bytes = bytes;
    this.file = file;
    this.size = size;
    this.sha256 = sha256;
  }

  /** Returns the body that these bytes are. */
  public static RequestBody of(Bytes bytes) {
    byte[] array = bytes.toArray();
    return inMemory(array, Bytes.wrap(FramedDigest.sha256().digest(array)));
  }

  static RequestBody inMemory(byte[] bytes, Bytes sha256) {
    return new RequestBody(bytes, null, bytes.length, sha256);
  }

  static RequestBody inFile(Path file, long size, Bytes sha256) {
    return new RequestBody(null, file, size, sha256);
  }

  public long size() {
    return size;
  }

  /** Returns the SHA-256 digest of all bytes. */
  public Bytes sha256() {
    return sha256;
  }

  /** Returns the temporary file that holds the body; nothing where it is in memory. */
  public Optional<Path> file() {
    return Optional.ofNullable(file);
  }

  /** Opens the body from its beginning. */
  public InputStream open() throws IOException {
    if (bytes != null) {
      return new ByteArrayInputStream(bytes);
    }
    return file == null ? InputStream.nullInputStream() : Files.newInputStream(file);
  }

  /** Removes the temporary file, where there is one. */
  @Override
  public void close() throws IOException {
    if (file != null) {
      Files.deleteIfExists(file);
    }
  }

  /** Says how many bytes these are, never which. */
  @Override
  public String toString() {
    return size + " bytes";
  }
}
