// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.body.RequestBody;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that is there already: every read is possible at once. */
final class BodyStream extends ServletInputStream {
  private final InputStream in;
  private final BufferedRequest request;
  private long left;

  BodyStream(RequestBody body, BufferedRequest request) throws IOException {
    this.in = body.open();
    this.request = request;
    this.left = body.size();
  }

  @Override
  public int read() throws IOException {
    int c = in.read();
    left -= c < 0 ? 0 : 1;
    return c;
  }

  @Override
  public int read(byte[] bytes, int offset, int count) throws IOException {
    int got = in.read(bytes, offset, count);
    left -= Math.max(0, got);
    return got;
  }

  @Override
  public int available() {
    return (int) Math.min(Integer.MAX_VALUE, left);
  }

  @Override
  public boolean isFinished() {
    return left <= 0;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setReadListener(ReadListener listener) {
    request
        .getAsyncContext()
        .start(
            () -> {
              try {
                if (!isFinished()) {
                  listener.onDataAvailable();
                }
                if (isFinished()) {
                  listener.onAllDataRead();
                }
              } catch (IOException e) {
                listener.onError(e);
              }
            });
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
