// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.Token;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How entries are written to scripts, stored, and read from the answers of scripts. */
final class EntryFormat {
  static final byte[] NOTHING = {};

  /** The position of fingerprint and key, which follow the bytes that can change. */
  private static final int IDENTITY = 54;

  private static final int FREED = 5;

  private EntryFormat() {}

  /**
   * Reads an answer of {@code claim.lua}.
   *
   * @throws RefusedCallException if the entry under the key cannot be read
   */
  static ClaimResult claimed(OperationKey key, Object answer) {
    if (answer instanceof Long fence) {
      return fence == 0
          ? new ClaimResult.Contended()
          : new ClaimResult.Granted(1, fence, PreviousPhase.ABSENT, Map.of());
    }
    List<?> parts = (List<?>) answer;
    return Replies.number(parts, 0) == 1 ? granted(parts) : new ClaimResult.Held(entry(key, parts));
  }

  private static ClaimResult granted(List<?> answer) {
    Map<String, Bytes> steps = new HashMap<>();
    for (int i = 4; i < answer.size(); i += 2) {
      steps.put(Replies.text(Replies.bytes(answer, i)), Bytes.wrap(Replies.bytes(answer, i + 1)));
    }
    return new ClaimResult.Granted(
        (int) Replies.number(answer, 1),
        Replies.number(answer, 2),
        previous((int) Replies.number(answer, 3)),
        steps);
  }

  private static PreviousPhase previous(int phase) {
    return switch (phase) {
      case 0 -> PreviousPhase.ABSENT;
      case 1 -> PreviousPhase.RESUMABLE;
      case 2 -> PreviousPhase.UNKNOWN;
      default -> throw new RefusedCallException("an entry has the unknown phase " + phase, null);
    };
  }

  /**
   * Reads an answer of {@code find.lua}.
   *
   * @throws RefusedCallException if the entry cannot be read or belongs to another key
   */
  static Optional<Entry> found(OperationKey key, Object answer) {
    return answer instanceof List<?> parts ? Optional.of(entry(key, parts)) : Optional.empty();
  }

  /** Reads an answer of {@code find.lua} for an entry of any key. */
  static Optional<Entry> found(Object answer) {
    return answer instanceof List<?> parts ? Optional.of(entry(parts)) : Optional.empty();
  }

  /** Reads the key of a stored entry, also if something else in the entry cannot be read. */
  static Optional<OperationKey> key(byte[] entry) {
    try {
      ByteBuffer in = ByteBuffer.wrap(entry).position(IDENTITY);
      byte[] unused = readBytes(in);
      return Optional.of(OperationKey.ofBytes(readBytes(in)));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  private static Entry entry(OperationKey key, List<?> answer) {
    Entry entry = entry(answer);
    if (!entry.key().equals(key)) {
      throw new RefusedCallException("the entry under " + key + " belongs to another key", null);
    }
    return entry;
  }

  private static Entry entry(List<?> answer) {
    try {
      return parsed(answer);
    } catch (RuntimeException e) {
      throw new RefusedCallException("an entry in Redis cannot be read: " + e, e);
    }
  }

  /** Reads an entry as {@code common.lua} packs it, its outcome, and the server's time. */
  private static Entry parsed(List<?> answer) {
    ByteBuffer in = ByteBuffer.wrap(Replies.bytes(answer, 1));
    Phase entryPhase = entryPhase(in.get());
    in.get(); // the phase before a takeover, which only grants report
    Token token = new Token(in.getLong(), in.getLong());
    int attempt = in.getInt();
    long fence = (long) in.getDouble();
    Entry.Times times =
        new Entry.Times(
            instant(in), instant(in), instant(in), Micros.instant(Replies.number(answer, 3)));
    Fingerprint fingerprint = fingerprint(readBytes(in));
    return new Entry(
        OperationKey.ofBytes(readBytes(in)),
        token,
        fingerprint,
        attempt,
        fence,
        entryPhase,
        times,
        entryPhase == Phase.SETTLED
            ? Optional.of(OutcomeFormat.read(Replies.bytes(answer, 2)))
            : Optional.empty());
  }

  /** Returns whether a stored entry was freed. */
  static boolean isFreed(byte[] entry) {
    return entry[0] == FREED;
  }

  private static Instant instant(ByteBuffer in) {
    return Micros.instant((long) in.getDouble());
  }

  /** Reads bytes that {@link #writeBytes} wrote. */
  static byte[] readBytes(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException(
          "a length is " + length + " where " + in.remaining() + " bytes are left");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  /** Writes byte strings, each after its length in four bytes. */
  static byte[] writeBytes(List<byte[]> all) {
    int size = all.stream().mapToInt(bytes -> Integer.BYTES + bytes.length).sum();
    ByteBuffer out = ByteBuffer.allocate(size);
    all.forEach(bytes -> out.putInt(bytes.length).put(bytes));
    return out.array();
  }

  private static Phase entryPhase(int phase) {
    return switch (phase) {
      case 0 -> Phase.RUNNING;
      case 1 -> Phase.RESUMABLE;
      case 2 -> Phase.UNKNOWN;
      case 3, 4 -> Phase.SETTLED;
      default -> throw new IllegalArgumentException("an entry has the unknown phase " + phase);
    };
  }

  static byte[] phase(Outcome outcome) {
    return EntryKeys.ascii(outcome.kind() == Outcome.Kind.FAILED ? "4" : "3");
  }

  static byte[] phase(Release how) {
    return EntryKeys.ascii(
        switch (how) {
          case FREE -> "5";
          case RESUMABLE -> "1";
          case UNKNOWN -> "2";
        });
  }

  /** Returns the lease of a claim, and the attempts and the age within which it takes over. */
  static byte[] terms(Claim claim) {
    return ByteBuffer.allocate(3 * Double.BYTES)
        .putDouble((double) Micros.count(claim.lease()))
        .putDouble(claim.takeOver().attempts())
        .putDouble((double) Micros.count(claim.takeOver().within()))
        .array();
  }

  /** Returns fingerprint and key, which never change, as they are stored in an entry. */
  static byte[] identity(Claim claim) {
    return writeBytes(List.of(fingerprint(claim.fingerprint()), claim.key().toBytes()));
  }

  static byte[] token(Token token) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(token.high()).putLong(token.low()).array();
  }

  /** Returns the recipe, a zero byte, which no recipe contains, and the digest. */
  private static byte[] fingerprint(Fingerprint fingerprint) {
    byte[] recipe = EntryKeys.ascii(fingerprint.recipe());
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
}
