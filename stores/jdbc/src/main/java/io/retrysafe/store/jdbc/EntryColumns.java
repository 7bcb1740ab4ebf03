// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.internal.UnicodeText;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Release;
import io.retrysafe.store.Token;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How entries and their parts are written to columns and read from them. */
final class EntryColumns {
  static final int RUNNING = 0;
  static final int RESUMABLE = 1;
  static final int UNKNOWN = 2;
  static final int COMPLETED = 3;
  static final int FAILED = 4;
  static final int FREED = 5;

  /** How many columns the part {@code entry} of the statements has. */
  static final int ENTRY_COLUMNS = 10;

  /** A control character, which no part of a scope can hold. */
  private static final String BETWEEN_PARTS = "\u001f";

  private static final int LONGEST_PROBLEM = 300;

  private EntryColumns() {}

  /**
   * Reads the part {@code entry}, whose first column is {@code at}.
   *
   * @return null where the row is freed
   */
  static @Nullable Entry entry(ResultSet row, int at, OperationKey key) throws SQLException {
    int phase = row.getInt(at + 4);
    if (phase == FREED) {
      return null;
    }
    Phase entryPhase =
        switch (phase) {
          case RUNNING -> Phase.RUNNING;
          case RESUMABLE -> Phase.RESUMABLE;
          case UNKNOWN -> Phase.UNKNOWN;
          case COMPLETED, FAILED -> Phase.SETTLED;
          default -> throw new IllegalArgumentException("an entry has the unknown phase " + phase);
        };
    return new Entry(
        key,
        token(row.getBytes(at)),
        fingerprint(row.getBytes(at + 1)),
        row.getInt(at + 2),
        row.getLong(at + 3),
        entryPhase,
        new Entry.Times(
            Micros.instant(row.getLong(at + 5)),
            Micros.instant(row.getLong(at + 6)),
            Micros.instant(row.getLong(at + 7)),
            Micros.instant(row.getLong(at + 8))),
        entryPhase == Phase.SETTLED
            ? Optional.of(outcome(row.getBytes(at + 9)))
            : Optional.empty());
  }

  /** Reads fence, attempt, previous and steps of a grant. */
  static ClaimResult granted(ResultSet rows, int at) throws SQLException {
    PreviousPhase previous =
        switch (rows.getInt(at + 2)) {
          case 0 -> PreviousPhase.ABSENT;
          case RESUMABLE -> PreviousPhase.RESUMABLE;
          default -> PreviousPhase.UNKNOWN;
        };
    return new ClaimResult.Granted(
        rows.getInt(at + 1), rows.getLong(at), previous, StepsFormat.read(rows.getString(at + 3)));
  }

  /**
   * Reads the entry that holds the claim off. One that the claim should have been granted over is
   * not what the claim was decided on.
   */
  static AttemptResult<ClaimResult> held(ResultSet rows, int at, Claim claim, int share)
      throws SQLException {
    if (isWithoutAnswer(rows, at, share)) {
      return new AttemptResult.Large<>();
    }
    Entry entry = entry(rows, at, claim.key());
    if (entry == null) {
      boolean isLate = token(rows.getBytes(at)).equals(claim.token());
      return isLate
          ? new AttemptResult.Answered<>(new ClaimResult.Contended())
          : new AttemptResult.Undecided<>();
    }
    return claim.isGrantedOver(entry)
        ? new AttemptResult.Undecided<>()
        : new AttemptResult.Answered<>(new ClaimResult.Held(entry));
  }

  private static Outcome outcome(byte @Nullable [] written) {
    if (written == null) {
      throw new IllegalArgumentException("a settled entry has no answer");
    }
    return OutcomeFormat.read(written);
  }

  /**
   * Returns whether the part {@code short_entry} is of a settled entry and lacks its answer.
   *
   * @param share the most bytes that the answer may have; without a limit none is left out
   */
  static boolean isWithoutAnswer(ResultSet row, int at, int share) throws SQLException {
    if (share == Integer.MAX_VALUE) {
      return false;
    }
    int phase = row.getInt(at + 4);
    return (phase == COMPLETED || phase == FAILED) && row.getBytes(at + 9) == null;
  }

  /** Returns when the entry began, in microseconds, of the part {@code entry}. */
  static long createdAt(ResultSet row, int at) throws SQLException {
    return row.getLong(at + 5);
  }

  /** Returns why a row cannot be read, for people. */
  static String problem(RuntimeException failure) {
    String message = failure.getMessage();
    String told =
        failure instanceof IllegalArgumentException && message != null
            ? message
            : failure.toString();
    return UnicodeText.storable(told, LONGEST_PROBLEM);
  }

  /** Reads the part {@code named}, whose first column is {@code at}. */
  static OperationKey key(ResultSet row, int at) throws SQLException {
    String endpoint = row.getString(at + 1);
    String exact = row.getString(at + 2);
    List<String> parts = new ArrayList<>();
    parts.add(row.getString(at));
    if (exact != null) {
      parts.addAll(List.of(exact.split(BETWEEN_PARTS, -1)));
    } else if (!endpoint.isEmpty()) {
      parts.addAll(List.of(endpoint.split(" ", -1)));
    }
    return OperationKey.of(new Scope(parts), row.getString(at + 3));
  }

  /** Reads the part {@code named}; a key that says so where it cannot be read. */
  static OperationKey keyOrUnreadable(ResultSet row, int at) throws SQLException {
    try {
      return key(row, at);
    } catch (RuntimeException e) {
      return OperationKey.of(Scope.of("unreadable"), "unreadable");
    }
  }

  /** Returns the endpoint's parts where its readable form does not tell them apart. */
  static @Nullable String endpointParts(Scope scope) {
    List<String> rest = scope.parts().subList(1, scope.parts().size());
    return rest.stream().anyMatch(part -> part.contains(" "))
        ? String.join(BETWEEN_PARTS, rest)
        : null;
  }

  static byte[] token(Token token) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(token.high()).putLong(token.low()).array();
  }

  static Token token(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new Token(in.getLong(), in.getLong());
  }

  /** Returns recipe and digest in one: a recipe holds no zero byte. */
  static byte[] fingerprint(Fingerprint fingerprint) {
    byte[] recipe = fingerprint.recipe().getBytes(StandardCharsets.US_ASCII);
    byte[] digest = fingerprint.digest().toArray();
    return ByteBuffer.allocate(recipe.length + 1 + digest.length)
        .put(recipe)
        .put((byte) 0)
        .put(digest)
        .array();
  }

  static Fingerprint fingerprint(byte[] bytes) {
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    if (end == bytes.length) {
      throw new IllegalArgumentException("the fingerprint of an entry is damaged");
    }
    String recipe = new String(bytes, 0, end, StandardCharsets.US_ASCII);
    byte[] digest = Arrays.copyOfRange(bytes, end + 1, bytes.length);
    return new Fingerprint(recipe, Bytes.wrap(digest));
  }

  static int phase(Release how) {
    return switch (how) {
      case FREE -> FREED;
      case RESUMABLE -> RESUMABLE;
      case UNKNOWN -> UNKNOWN;
    };
  }

  static int phase(Outcome outcome) {
    return outcome.kind() == Outcome.Kind.FAILED ? FAILED : COMPLETED;
  }
}
