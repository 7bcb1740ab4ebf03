// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.vertx.core.buffer.Buffer;

/** Parts of a body, joined as they arrive. A part that stays alone is not copied. */
final class BodyParts {
  private Buffer bytes = Buffer.buffer();
  private boolean canGrow = true;

  void add(Buffer part) {
    if (bytes.length() == 0) {
      bytes = part;
      // A part may be a view of what was read with the head: nothing can be appended to that.
      canGrow = false;
      return;
    }
    if (!canGrow) {
      bytes = Buffer.buffer(2 * (bytes.length() + part.length())).appendBuffer(bytes);
      canGrow = true;
    }
    bytes.appendBuffer(part);
  }

  int length() {
    return bytes.length();
  }

  boolean isEmpty() {
    return bytes.length() == 0;
  }

  /** Returns all parts as one, and holds nothing any more. */
  Buffer take() {
    Buffer all = bytes;
    bytes = Buffer.buffer();
    return all;
  }
}
