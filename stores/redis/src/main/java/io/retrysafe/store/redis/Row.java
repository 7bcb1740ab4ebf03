// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Previous;
import io.retrysafe.store.Standing;
import io.retrysafe.store.Token;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How entries and their parts are written to scripts and read from their answers. */
final class Row {
  private static final long HELD = 0;
  private static final long GRANTED = 1;

  /** Where the identity of the key is in an entry that was found. */
  private static final int KEY = 11;

  private Row() {}

  static ClaimResult claimed(OperationKey key, List<Object> answer) {
    long code = (Long) answer.get(0);
    if (code == HELD) {
      return new ClaimResult.Held(entry(key, answer));
    }
    return code == GRANTED ? granted(answer) : new ClaimResult.Contended();
  }

  private static ClaimResult granted(List<Object> answer) {
    Map<String, Bytes> steps = new HashMap<>();
    for (int i = 4; i < answer.size(); i += 2) {
      steps.put(text(bytes(answer, i)), Bytes.wrap(bytes(answer, i + 1)));
    }
    return new ClaimResult.Granted(
        (int) number(answer, 1), number(answer, 2), previous((int) number(answer, 3)), steps);
  }

  private static Previous previous(int phase) {
    return switch (phase) {
      case 0 -> Previous.ABSENT;
      case 1 -> Previous.RESUMABLE;
      case 2 -> Previous.UNKNOWN;
      default -> throw new IllegalArgumentException("an entry was of unknown phase " + phase);
    };
  }

  /** Reads what {@code find} answers; empty where there is no entry. */
  static Optional<Entry> found(List<Object> answer) {
    return answer.isEmpty()
        ? Optional.empty()
        : Optional.of(entry(OperationKey.ofBytes(bytes(answer, KEY)), answer));
  }

  private static Entry entry(OperationKey key, List<Object> answer) {
    Standing standing = standing((int) number(answer, 1));
    return new Entry(
        key,
        token(bytes(answer, 2)),
        fingerprint(bytes(answer, 3)),
        (int) number(answer, 4),
        number(answer, 5),
        standing,
        new Entry.Times(
            Micros.instant(bytes(answer, 6)),
            Micros.instant(bytes(answer, 7)),
            Micros.instant(bytes(answer, 8)),
            Micros.instant(bytes(answer, 10))),
        standing == Standing.SETTLED
            ? Optional.of(OutcomeFormat.read(bytes(answer, 9)))
            : Optional.empty());
  }

  private static Standing standing(int phase) {
    return switch (phase) {
      case 0 -> Standing.RUNNING;
      case 1 -> Standing.RESUMABLE;
      case 2 -> Standing.UNKNOWN;
      case 3, 4 -> Standing.SETTLED;
      default -> throw new IllegalArgumentException("an entry has the unknown phase " + phase);
    };
  }

  static byte[] phase(Outcome outcome) {
    return Name.ascii(outcome.kind() == Outcome.Kind.FAILED ? "4" : "3");
  }

  static byte[] phase(LeaveAs how) {
    return Name.ascii(
        switch (how) {
          case FREE -> "5";
          case RESUMABLE -> "1";
          case UNKNOWN -> "2";
        });
  }

  static byte[] token(Token token) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(token.high()).putLong(token.low()).array();
  }

  private static Token token(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new Token(in.getLong(), in.getLong());
  }

  /** Returns recipe and digest in one: a recipe holds no zero byte. */
  static byte[] fingerprint(Fingerprint fingerprint) {
    byte[] recipe = Name.ascii(fingerprint.recipe());
    byte[] digest = fingerprint.digest().toArray();
    return ByteBuffer.allocate(recipe.length + 1 + digest.length)
        .put(recipe)
        .put((byte) 0)
        .put(digest)
        .array();
  }

  private static Fingerprint fingerprint(byte[] bytes) {
    int end = 0;
    while (bytes[end] != 0) {
      end++;
    }
    String recipe = new String(bytes, 0, end, StandardCharsets.US_ASCII);
    return new Fingerprint(recipe, Bytes.wrap(Arrays.copyOfRange(bytes, end + 1, bytes.length)));
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  static byte[] bytes(List<Object> answer, int index) {
    return (byte[]) answer.get(index);
  }

  private static long number(List<Object> answer, int index) {
    return Micros.number(bytes(answer, index));
  }
}
