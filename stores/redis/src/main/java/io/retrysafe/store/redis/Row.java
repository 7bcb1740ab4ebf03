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
import io.retrysafe.store.RefusedCallException;
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

  /** Where what never changes of an entry begins: fingerprint and key. */
  private static final int IDENTITY = 54;

  private static final long RELEASED = 0;
  private static final long HELD = 0;
  private static final long GRANTED = 1;
  private static final int FREED = 5;

  /** How many bytes of a stored entry can change; fingerprint and key follow. */
  private static final int HEAD = 54;

  private Row() {}

  /** Returns whether an answer is one of {@code claim}. */
  static boolean isClaimed(Object answer) {
    return answer instanceof Long fence
        ? fence >= RELEASED
        : answer instanceof List<?> parts && (isHeld(parts) || isGranted(parts));
  }

  /** Returns whether an answer is one of {@code find}. */
  static boolean isFound(Object answer) {
    return answer instanceof List<?> parts
        ? isHeld(parts)
        : answer instanceof Long none && none == 0;
  }

  /** Returns whether an answer is yes or no. */
  static boolean isFlag(Object answer) {
    return answer instanceof Long flag && (flag == 0 || flag == 1);
  }

  /** Returns whether an answer is one of {@code step}. */
  static boolean isStep(Object answer) {
    return answer instanceof Long size && size <= 1;
  }

  /** Returns whether an answer is one of {@code copy}. */
  static boolean isCopy(Object answer) {
    return isBytes(answer) || (answer instanceof Long none && none == 0);
  }

  /** Returns whether an answer is a text or bytes. */
  static boolean isBytes(Object answer) {
    return answer instanceof byte[];
  }

  /** Returns whether an answer is one of {@code history}: events, each in six parts. */
  static boolean isHistory(Object answer) {
    return answer instanceof List<?> parts
        ? parts.size() % EventFormat.PARTS == 0 && parts.stream().allMatch(Row::isBytes)
        : answer instanceof Long none && none == 0;
  }

  /** Returns whether a reply is one of {@code append} for entries of which {@code key} is one. */
  static boolean isCount(List<Object> reply, byte[] key) {
    return reply.size() == 2
        && reply.get(0) instanceof byte[] first
        && Arrays.equals(first, key)
        && reply.get(1) instanceof Long;
  }

  private static boolean isHeld(List<?> parts) {
    return parts.size() == 4
        && parts.get(0) instanceof Long held
        && held == HELD
        && parts.get(1) instanceof byte[]
        && parts.get(2) instanceof byte[]
        && parts.get(3) instanceof Long;
  }

  private static boolean isGranted(List<?> parts) {
    return parts.size() >= 4
        && parts.size() % 2 == 0
        && parts.get(0) instanceof Long granted
        && granted == GRANTED
        && parts.subList(1, 4).stream().allMatch(Long.class::isInstance)
        && parts.subList(4, parts.size()).stream().allMatch(Row::isBytes);
  }

  /** Returns what a step says went wrong. */
  static String error(Object answer) {
    return answer instanceof List<?> parts && parts.get(0) instanceof byte[] message
        ? text(message)
        : String.valueOf(answer);
  }

  /**
   * Reads what {@code claim} answers.
   *
   * @throws RefusedCallException if the entry that holds the key cannot be read
   */
  static ClaimResult claimed(OperationKey key, Object answer) {
    if (answer instanceof Long fence) {
      return fence == RELEASED
          ? new ClaimResult.Contended()
          : new ClaimResult.Granted(1, fence, Previous.ABSENT, Map.of());
    }
    List<?> parts = (List<?>) answer;
    return number(parts, 0) == GRANTED ? granted(parts) : new ClaimResult.Held(entry(key, parts));
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
      default -> throw new RefusedCallException("an entry was of unknown phase " + phase, null);
    };
  }

  /**
   * Reads what {@code find} answers; empty where there is no entry.
   *
   * @throws RefusedCallException if the entry cannot be read, or is another key's
   */
  static Optional<Entry> found(OperationKey key, Object answer) {
    return answer instanceof List<?> parts ? Optional.of(entry(key, parts)) : Optional.empty();
  }

  /** Reads what {@code find} answers of an entry whose key is not known before. */
  static Optional<Entry> found(Object answer) {
    return answer instanceof List<?> parts ? Optional.of(entry(parts)) : Optional.empty();
  }

  /** Reads the key of an entry of which something else cannot be read. */
  static Optional<OperationKey> key(Object answer) {
    try {
      if (answer instanceof List<?> parts) {
        ByteBuffer in = ByteBuffer.wrap(bytes(parts, 1)).position(IDENTITY);
        part(in);
        return Optional.of(OperationKey.ofBytes(part(in)));
      }
    } catch (RuntimeException e) {
      // That cannot be read either.
    }
    return Optional.empty();
  }

  private static Entry entry(OperationKey key, List<?> answer) {
    Entry entry = entry(answer);
    if (!entry.key().equals(key)) {
      throw new RefusedCallException("the entry of " + key + " is one of another key", null);
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

  /** Returns whether an entry, as it is stored, was freed. */
  static boolean isFreed(byte[] entry) {
    return entry[0] == FREED;
  }

  /** Returns whose an entry is, as it is stored. */
  static String account(byte[] entry) {
    return OperationKey.ofBytes(key(entry)).scope().account();
  }

  /** Returns how many bytes the key of an entry has, as it is stored. */
  static int keySize(byte[] entry) {
    return key(entry).length;
  }

  private static byte[] key(byte[] entry) {
    ByteBuffer in = ByteBuffer.wrap(entry).position(HEAD);
    byte[] unused = part(in);
    return part(in);
  }

  private static Instant instant(ByteBuffer in) {
    return Micros.instant((long) in.getDouble());
  }

  private static byte[] part(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException(
          "a part has " + length + " bytes where " + in.remaining() + " are left");
    }
    byte[] part = new byte[length];
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
