// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Previous;
import io.retrysafe.store.Standing;
import io.retrysafe.store.Token;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How entries and their parts are written to scripts and read from their answers. */
final class Row {
  static final byte[] NOTHING = {};

  private static final long RELEASED = 0;
  private static final long GRANTED = 1;

  private Row() {}

  /** Reads what {@code claim} answers. */
  static ClaimResult claimed(Object answer) {
    if (answer instanceof Long fence) {
      return fence == RELEASED
          ? new ClaimResult.Contended()
          : new ClaimResult.Granted(1, fence, Previous.ABSENT, Map.of());
    }
    List<?> parts = (List<?>) answer;
    return number(parts, 0) == GRANTED ? granted(parts) : new ClaimResult.Held(entry(parts));
  }

  private static ClaimResult granted(List<?> answer) {
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
  static Optional<Entry> found(Object answer) {
    return answer instanceof List<?> parts ? Optional.of(entry(parts)) : Optional.empty();
  }

  /** Reads an entry as {@code common.lua} packs it, its outcome, and the server's time. */
  private static Entry entry(List<?> answer) {
    ByteBuffer in = ByteBuffer.wrap(bytes(answer, 1));
    Standing standing = standing(in.get());
    in.get(); // what it was before only matters to who is granted
    Token token = new Token(in.getLong(), in.getLong());
    int attempt = in.getInt();
    long fence = (long) in.getDouble();
    Entry.Times times =
        new Entry.Times(instant(in), instant(in), instant(in), Micros.instant(number(answer, 3)));
    Fingerprint fingerprint = fingerprint(part(in));
    return new Entry(
        OperationKey.ofBytes(part(in)),
        token,
        fingerprint,
        attempt,
        fence,
        standing,
        times,
        standing == Standing.SETTLED
            ? Optional.of(OutcomeFormat.read(bytes(answer, 2)))
            : Optional.empty());
  }

  private static Instant instant(ByteBuffer in) {
    return Micros.instant((long) in.getDouble());
  }

  private static byte[] part(ByteBuffer in) {
    byte[] part = new byte[in.getInt()];
    in.get(part);
    return part;
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

  /** Returns what a claim asks for: its lease, and how many attempts and how old to take over. */
  static byte[] terms(Claim claim) {
    return ByteBuffer.allocate(3 * Double.BYTES)
        .putDouble((double) Micros.count(claim.lease()))
        .putDouble(claim.takeOver().attempts())
        .putDouble((double) Micros.count(claim.takeOver().within()))
        .array();
  }

  /** Returns what never changes of an entry, as it is stored: fingerprint and key. */
  static byte[] identity(Claim claim) {
    byte[] fingerprint = fingerprint(claim.fingerprint());
    byte[] key = claim.key().toBytes();
    return ByteBuffer.allocate(2 * Integer.BYTES + fingerprint.length + key.length)
        .putInt(fingerprint.length)
        .put(fingerprint)
        .putInt(key.length)
        .put(key)
        .array();
  }

  static byte[] token(Token token) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(token.high()).putLong(token.low()).array();
  }

  /** Returns recipe and digest in one: a recipe holds no zero byte. */
  private static byte[] fingerprint(Fingerprint fingerprint) {
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

  static byte[] bytes(List<?> answer, int index) {
    return (byte[]) answer.get(index);
  }

  private static long number(List<?> answer, int index) {
    return (Long) answer.get(index);
  }
}
