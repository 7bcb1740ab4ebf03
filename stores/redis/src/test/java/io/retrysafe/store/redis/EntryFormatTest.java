// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.RefusedCallException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Entries as a server gives them back, whole and damaged. */
class EntryFormatTest {
  private static final int HEAD = 2 + 16 + 4 + 8 + 3 * 8;

  private static byte[] entry(int fingerprintLength) {
    byte[] fingerprint = ("raw-1\0" + "d".repeat(32)).getBytes(StandardCharsets.US_ASCII);
    byte[] key = new OperationKey(Scope.of("account", "POST", "/x"), "key").toBytes();
    return ByteBuffer.allocate(HEAD + 8 + fingerprint.length + key.length)
        .put(new byte[HEAD])
        .putInt(fingerprintLength)
        .put(fingerprint)
        .putInt(key.length)
        .put(key)
        .array();
  }

  private static Object read(byte[] entry) {
    return EntryFormat.found(List.of(2L, entry, new byte[0], 1L)).orElseThrow();
  }

  @Test
  void aWholeEntryIsRead() {
    assertThat(read(entry(38)).toString()).isNotEmpty();
  }

  @Test
  void aLengthThatCannotBeTrueIsRefusedBeforeAnythingIsAllocated() {
    for (int length : List.of(Integer.MAX_VALUE, Integer.MAX_VALUE - 16, 1 << 30, -1, 1000)) {
      assertThatThrownBy(() -> read(entry(length)))
          .isInstanceOf(RefusedCallException.class)
          .hasMessageContaining("a length is " + length);
    }
  }

  @Test
  void damagedEntriesAreRefused() {
    byte[] whole = entry(38);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> read(cut)).isInstanceOf(RefusedCallException.class);
    }
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = whole.clone();
      for (int n = random.nextInt(4); n >= 0; n--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        read(damaged);
      } catch (RefusedCallException e) {
        // Refused, as it should be; whatever else comes fails the test.
        assertThat(e).as("seed %s", seed).isNotNull();
      }
    }
  }
}
