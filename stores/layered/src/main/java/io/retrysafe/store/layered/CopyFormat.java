// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Entry;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Phase;
import io.retrysafe.store.Token;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Copies as bytes: version, until when they are worth something, and the settled entry; or that
 * there is none. Numbers are big-endian, times in microseconds.
 */
final class CopyFormat {
  private static final byte FORGOTTEN = 0;
  private static final byte ENTRY = 1;
  private static final int HEAD = 1 + 8 + 16 + 4 + 8 + 4 * 8;

  private static final long FARTHEST = Long.MAX_VALUE / 2_000_000L;

  private CopyFormat() {}

  /** Returns what keeps the place of a copy that must not come back. */
  static byte[] forgotten() {
    return new byte[] {FORGOTTEN};
  }

  static byte[] write(Entry entry, Instant until) {
    byte[] recipe = entry.fingerprint().recipe().getBytes(StandardCharsets.US_ASCII);
    byte[] digest = entry.fingerprint().digest().toArray();
    byte[] outcome = OutcomeFormat.write(entry.outcome().orElseThrow());
    return ByteBuffer.allocate(HEAD + 2 + recipe.length + digest.length + outcome.length)
        .put(ENTRY)
        .putLong(micros(until))
        .putLong(entry.token().high())
        .putLong(entry.token().low())
        .putInt(entry.attempt())
        .putLong(entry.fence())
        .putLong(micros(entry.times().createdAt()))
        .putLong(micros(entry.times().leaseUntil()))
        .putLong(micros(entry.times().expiresAt()))
        .putLong(micros(entry.times().readAt()))
        .put((byte) recipe.length)
        .put(recipe)
        .put((byte) digest.length)
        .put(digest)
        .put(outcome)
        .array();
  }

  /** Returns the entry, unless the bytes are something else or worth nothing any more. */
  static Optional<Entry> read(OperationKey key, byte[] copy, Instant now) {
    try {
      ByteBuffer in = ByteBuffer.wrap(copy);
      if (in.get() != ENTRY || in.getLong() <= micros(now)) {
        return Optional.empty();
      }
      return Optional.of(entry(key, in));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Entry entry(OperationKey key, ByteBuffer in) {
    Token token = new Token(in.getLong(), in.getLong());
    int attempt = in.getInt();
    long fence = in.getLong();
    Entry.Times times =
        new Entry.Times(
            instant(in.getLong()),
            instant(in.getLong()),
            instant(in.getLong()),
            instant(in.getLong()));
    String recipe = new String(take(in, in.get()), StandardCharsets.US_ASCII);
    Fingerprint fingerprint = new Fingerprint(recipe, Bytes.wrap(take(in, in.get())));
    return new Entry(
        key,
        token,
        fingerprint,
        attempt,
        fence,
        Phase.SETTLED,
        times,
        Optional.of(OutcomeFormat.read(take(in, in.remaining()))));
  }

  private static byte[] take(ByteBuffer in, int length) {
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private static long micros(Instant instant) {
    // Beyond these lie moments that are given as "for ever".
    long seconds = Math.max(-FARTHEST, Math.min(FARTHEST, instant.getEpochSecond()));
    return seconds * 1_000_000L + instant.getNano() / 1000;
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
