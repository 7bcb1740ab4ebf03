// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.OperationKey;
import io.retrysafe.internal.LengthPrefixed;
import io.retrysafe.internal.UnicodeText;
import java.nio.ByteBuffer;
import java.util.UUID;

/** Keys for the services that an operation calls. */
final class DownstreamKeys {
  private static final byte[] PURPOSE = LengthPrefixed.utf8("retrysafe downstream key 1");

  private DownstreamKeys() {}

  static String derive(OperationKey key, String name) {
    byte[] checked = LengthPrefixed.utf8(UnicodeText.checked("the name of a downstream key", name));
    byte[] digest = LengthPrefixed.sha256(LengthPrefixed.join(PURPOSE, key.toBytes(), checked));
    ByteBuffer bits = ByteBuffer.wrap(digest);
    // Marked as version 4, which some services insist on.
    long high = (bits.getLong() & ~0xF000L) | 0x4000L;
    long low = (bits.getLong() & ~(0b11L << 62)) | (0b10L << 62);
    return new UUID(high, low).toString();
  }
}
