// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.AuditRecord.Action;
import io.retrysafe.store.AuditRecord.Result;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class AuditRecordTest {
  private static final OperationKey KEY = OperationKey.of(Scope.of("m", "charge"), "order-1");
  private static final Instant AT = Instant.parse("2026-11-15T12:03:11.123456Z");

  private static History.Event event(String detail) {
    return new History.Event(KEY, History.RESOLVED, "ann", AT, AT, 1, detail);
  }

  @Test
  void aStoredRecordIsReadAgain() {
    for (Action action : Action.values()) {
      for (Result result : Result.values()) {
        AuditRecord record =
            new AuditRecord(
                "00000000000000ff",
                KEY,
                AT.plusNanos(7),
                new AuditNote("ann = boss", "seen, reason=it \u2713 was 50 % there"),
                action,
                action == Action.DONE ? OptionalInt.of(201) : OptionalInt.empty(),
                1763208191123456L,
                "gw 1=a%\u00e4",
                result);
        assertThat(AuditRecord.of(record.toEvent())).contains(record);
      }
    }
  }

  @Test
  void theStoredFormStaysReadable() {
    String stored =
        "audit/1 id=00000000000000ff result=applied action=done status=201 fence=7 process=gw+1"
            + " reason=the bank has it";
    AuditRecord record = AuditRecord.of(event(stored)).orElseThrow();

    assertThat(record)
        .isEqualTo(
            new AuditRecord(
                "00000000000000ff",
                KEY,
                AT,
                new AuditNote("ann", "the bank has it"),
                Action.DONE,
                OptionalInt.of(201),
                7,
                "gw 1",
                Result.APPLIED));
    assertThat(record.toEvent()).isEqualTo(event(stored));
    assertThat(AuditRecord.of(event(stored.replace(" fence", " ticket=9 fence"))))
        .as("what a later release adds is skipped")
        .contains(record);
  }

  @Test
  void whatIsNoRecordOfThisFormIsLeftToTheReader() {
    String stored = "audit/1 id=1 result=applied action=done fence=7 process=p reason=r";
    assertThat(AuditRecord.of(event(stored))).isPresent();
    for (String other :
        List.of(
            "",
            "done: seen",
            stored.replace("audit/1", "audit/2"),
            stored.replace("applied", "postponed"),
            stored.replace("done", "moved"),
            stored.replace("fence=7", "fence=x"),
            stored.replace("fence=7 ", ""),
            stored.replace(" reason=r", ""))) {
      assertThat(AuditRecord.of(event(other))).as(other).isEmpty();
    }
    assertThat(AuditRecord.of(new History.Event(KEY, "claimed", "ann", AT, AT, 1, stored)))
        .isEmpty();
  }

  @Test
  void actorAndReasonAreNeeded() {
    for (String bad : List.of("", " ", "a\nb", "a\0", "\ud83d", "x".repeat(501))) {
      assertThatThrownBy(() -> new AuditNote("ann", bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reason");
      assertThatThrownBy(() -> new AuditNote(bad, "why"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("actor");
    }
    assertThat(new AuditNote("a".repeat(100), "r".repeat(500)).reason()).hasSize(500);
  }
}
