// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/** Joins parts of a body. */
final class Buffers {
  private Buffers() {}

  /**
   * Returns two parts as one, in the first of them if it can grow. Behind TLS a part may be a view
   * of what was decrypted, which cannot.
   */
  static Buffer joined(Buffer first, Buffer next) {
    boolean canGrow = ((BufferInternal) first).getByteBuf().maxWritableBytes() >= next.length();
    Buffer joined =
        canGrow ? first : Buffer.buffer(2 * (first.length() + next.length())).appendBuffer(first);
    return joined.appendBuffer(next);
  }
}
