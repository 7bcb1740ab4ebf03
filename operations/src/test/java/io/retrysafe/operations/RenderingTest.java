// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.internal.Json;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.Claim;
import io.retrysafe.store.History;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How things look, and what is refused as badly written. */
class RenderingTest {

  @Test
  void tablesFitEightyColumns() {
    MemoryStore store = MemoryStore.create();
    Scope scope = Scope.of("a".repeat(300), "POST", "/" + "x".repeat(200));
    OperationKey key = OperationKey.of(scope, "k".repeat(255));
    store.claim(
        new Claim(
            key,
            Fingerprint.ofText("x"),
            Token.of(UUID.randomUUID()),
            Duration.ofMinutes(1),
            TakeOver.NONE));
    Operations operations = Operations.create(store, Retrysafe.create(store));
    for (Result result :
        new Result[] {operations.list(OperationQuery.create()), operations.stats()}) {
      assertThat(result.text().lines())
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }
    assertThat(operations.list(OperationQuery.create()).text()).contains("in_progress", "…");
  }

  @Test
  void queriesSayWhatIsWrong() {
    for (Map<String, String> wrong :
        List.of(
            Map.of("limit", "0"),
            Map.of("limit", "1001"),
            Map.of("limit", "x"),
            Map.of("state", "done"),
            Map.of("older", "soon"),
            Map.of("older", "-5s"),
            Map.of("older", "999999999d"),
            Map.of("stat", "unknown"))) {
      assertThatThrownBy(() -> OperationQuery.of(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(wrong.keySet().iterator().next());
    }
    assertThat(OperationQuery.of(Map.of("older", "10m")).older()).isEqualTo(Duration.ofMinutes(10));
    assertThat(OperationQuery.of(Map.of("older", "PT5S")).older()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void verdictsSayWhatIsWrong() {
    for (String wrong :
        new String[] {
          "{}",
          "{\"outcome\":\"maybe\"}",
          "{\"outcome\":\"done\",\"status\":\"201\"}",
          "{\"outcome\":\"done\",\"status\":99}",
          "{\"outcome\":\"done\",\"status\":201,\"colour\":1}",
          "{\"outcome\":\"done\",\"status\":201,\"body\":\"a\",\"body_base64\":\"YQ==\"}",
          "{\"outcome\":\"done\",\"status\":201,\"body_base64\":\"!\"}",
          "{\"outcome\":\"done\",\"status\":201,\"headers\":[{\"name\":\"a b\",\"value\":\"\"}]}",
          "{\"outcome\":\"done\",\"status\":201,\"headers\":[{\"name\":\"a\",\"value\":\"\\n\"}]}",
          "{\"outcome\":\"not_done\",\"status\":201}"
        }) {
      assertThatThrownBy(() -> Verdict.of(Json.object(wrong)))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Verdict.of(Json.object("{\"outcome\":\"not_done\"}")))
        .isEqualTo(new Verdict.NotDone());
  }

  @Test
  void everyChangeNeedsAReason() {
    Optional<String> nobody = Optional.empty();
    for (String wrong : new String[] {"{}", "{\"reason\":\" \"}", "{\"reason\":7}"}) {
      assertThatThrownBy(() -> ChangeRequest.of(Json.object(wrong), nobody))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("reason");
    }
    Map<String, @Nullable Object> members =
        Json.object("{\"reason\":\"why\",\"actor\":\"bob\",\"fence\":7}");
    assertThat(ChangeRequest.of(members, nobody))
        .isEqualTo(new ChangeRequest(new AuditNote("bob", "why"), OptionalLong.of(7)));
    assertThat(ChangeRequest.of(members, Optional.of("ann")).note().actor())
        .as("who is known says nothing about itself")
        .isEqualTo("ann");
  }

  @Test
  void aPageOfTheAuditSeparatesNoActionFromItsResult() {
    OperationKey key = OperationKey.of(Scope.of("a", "charge"), "k");
    Instant later = Instant.parse("2026-11-15T12:00:01Z");
    AuditRecord first = requested("1", key, later.minusSeconds(1));
    AuditRecord second = requested("2", key, later);
    List<History.Event> cut =
        List.of(
            second.with(AuditRecord.Result.APPLIED).toEvent(), second.toEvent(), first.toEvent());

    Audit page = Audit.page(cut, true, 10);

    assertThat(page.actions()).extracting(AuditedAction::at).containsExactly(later);
    assertThat(page.next()).contains(later);
    assertThat(Audit.page(cut, false, 10).actions()).hasSize(2);
  }

  private static AuditRecord requested(String id, OperationKey key, Instant at) {
    return new AuditRecord(
        id,
        key,
        at,
        new AuditNote("ann", "why"),
        AuditRecord.Action.FORGET,
        OptionalInt.empty(),
        1,
        "gw-1",
        AuditRecord.Result.REQUESTED);
  }

  @Test
  void whatIsNoIdLeadsNowhere() {
    for (String wrong : new String[] {"op_", "op_x", "op_!!", "x", "op_AAAA"}) {
      assertThatThrownBy(() -> OperationId.of(wrong)).isInstanceOf(RefusedException.class);
    }
  }

  @Test
  void aSearchThatDidNotEndFindsNothingOut() {
    EndlessStore store = new EndlessStore(4);
    Operations operations = Operations.create(store, Retrysafe.create(store));
    OperationQuery query = OperationQuery.of(Map.of("key", "k"));
    assertThat(operations.list(query).next()).isPresent();
    assertThatThrownBy(() -> operations.explain(query))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.reason()).isEqualTo(RefusedException.Reason.NOT_FOUND));
    EndlessStore large = new EndlessStore(1_000_000);
    Operations endless = Operations.create(large, Retrysafe.create(large));
    assertThatThrownBy(() -> endless.explain(query))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.reason()).isEqualTo(RefusedException.Reason.NOT_FINISHED));
  }

  @Test
  void aStatusIsNotCutToSize() {
    assertThatThrownBy(() -> Verdict.of(Map.of("outcome", "done", "status", 4294967497L)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("status must be");
  }
}
