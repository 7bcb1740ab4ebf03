// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;

/** The stream of an answer that is held back, until it leaves. */
final class HeldStream extends ServletOutputStream {
  private final HeldResponse response;

  HeldStream(HeldResponse response) {
    this.response = response;
  }

  @Override
  public void write(int b) throws IOException {
    response.write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    response.write(bytes, offset, count);
  }

  @Override
  public void flush() throws IOException {
    response.flushed();
  }

  @Override
  public boolean isReady() {
    return response.isReady();
  }

  @Override
  public void setWriteListener(WriteListener listener) {
    response.setWriteListener(listener);
  }
}
