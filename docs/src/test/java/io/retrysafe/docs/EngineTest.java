// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.Decision;
import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.Fingerprint;
import io.retrysafe.Lookup;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs the code of docs/engine.md and docs/sagas.md. */
class EngineTest {
  private static final OperationKey KEY =
      OperationKey.of(Scope.of("merchant_7", "pay"), "order-1001");
  private static final Fingerprint FINGERPRINT = Fingerprint.ofText("2500");

  private final List<Event.Kind> seen = new ArrayList<>();
  private final Bank bank = new Bank();
  private final Retrysafe engine =
      Retrysafe.builder(MemoryStore.create()).listener(event -> seen.add(event.kind())).build();

  @AfterEach
  void close() {
    engine.close();
  }

  // snippet:begin
  String handle(OperationKey key, Fingerprint fingerprint, Policy policy) {
    Decision decision = engine.begin(key, fingerprint, policy);
    if (decision instanceof Decision.Granted granted) {
      return execute(granted.operation());
    }
    if (decision instanceof Decision.Replay replay) {
      return replay.outcome().body().toUtf8();
    }
    if (decision instanceof Decision.InProgress inProgress) {
      return "409, retry after " + inProgress.retryAfter();
    }
    return decision instanceof Decision.Mismatch ? "422, another request" : "409, outcome unknown";
  }

  String execute(Operation operation) {
    String receipt = bank.charge(operation.downstreamKey("bank"), 2500);
    Ending ending = operation.complete(Outcome.of(Bytes.utf8(receipt)));
    if (ending instanceof Ending.Superseded superseded) {
      return superseded.outcome().body().toUtf8();
    }
    return ending instanceof Ending.Lost ? "409, outcome unknown" : receipt;
  }

  // end

  // snippet:reconcile
  Policy reconciling() {
    return Policy.create().recovery(Recovery.reconcile(this::ask));
  }

  Lookup.Finding ask(Operation operation) {
    Optional<String> receipt = bank.find(operation.downstreamKey("bank"));
    return receipt.isPresent()
        ? new Lookup.Happened(Outcome.of(Bytes.utf8(receipt.get())))
        : new Lookup.DidNotHappen();
  }

  // end

  // snippet:recover
  Retrysafe recovering(Store store) {
    return Retrysafe.builder(store)
        .recoverEvery(Duration.ofMinutes(1), reconciling(), Set.of("charge"))
        .build();
  }

  // end

  // snippet:unknown
  String charge(Operation operation) throws TimeoutException {
    return operation.step(
        "charge", Codec.string(), () -> bank.slowCharge(operation.downstreamKey("charge"), 2500));
  }

  // end

  // snippet:step-lookup
  String chargeAfterLookup(Operation operation) throws TimeoutException {
    String reference = operation.downstreamKey("charge");
    return operation.stepWithLookup(
        "charge",
        Codec.string(),
        () -> bank.find(reference),
        () -> bank.slowCharge(reference, 2500));
  }

  // end

  @Test
  void aRetryIsAnsweredWithTheFirstReceipt() {
    assertThat(handle(KEY, FINGERPRINT, Policy.create())).isEqualTo("receipt 1 over 2500");
    assertThat(handle(KEY, FINGERPRINT, Policy.create())).isEqualTo("receipt 1 over 2500");
    assertThat(handle(KEY, Fingerprint.ofText("1"), Policy.create())).startsWith("422");
    assertThat(seen)
        .containsExactly(
            Event.Kind.CLAIMED, Event.Kind.COMPLETED, Event.Kind.REPLAYED, Event.Kind.MISMATCH);
  }

  @Test
  void anUnknownOperationIsAskedAbout() {
    Decision decision = engine.begin(KEY, FINGERPRINT, reconciling());
    assertThat(handle(KEY, FINGERPRINT, reconciling())).startsWith("409, retry after");
    Operation operation = ((Decision.Granted) decision).operation();
    String receipt = bank.charge(operation.downstreamKey("bank"), 2500);
    operation.unknown();

    assertThat(handle(KEY, FINGERPRINT, Policy.create())).isEqualTo("409, outcome unknown");
    assertThat(handle(KEY, FINGERPRINT, reconciling())).isEqualTo(receipt);
    assertThat(bank.receipts).hasSize(1);
  }

  @Test
  void aStepThatTimedOutIsRepeatedUnderTheSameKey() throws TimeoutException {
    Policy policy = Policy.create().recovery(Recovery.rerun());
    assertThatThrownBy(() -> engine.run(KEY, FINGERPRINT, policy, Codec.string(), this::charge))
        .isInstanceOf(TimeoutException.class);
    assertThat(engine.run(KEY, FINGERPRINT, policy, Codec.string(), this::charge))
        .isEqualTo("receipt 1 over 2500");
    assertThat(bank.receipts).hasSize(1);
  }

  @Test
  void aStepThatTimedOutIsAskedFor() throws TimeoutException {
    Policy policy = Policy.create().recovery(Recovery.rerun());
    assertThatThrownBy(
            () -> engine.run(KEY, FINGERPRINT, policy, Codec.string(), this::chargeAfterLookup))
        .isInstanceOf(TimeoutException.class);
    assertThat(engine.run(KEY, FINGERPRINT, policy, Codec.string(), this::chargeAfterLookup))
        .isEqualTo("receipt 1 over 2500");
    assertThat(bank.calls).isEqualTo(1);
  }

  @Test
  void unknownOperationsAreRecoveredInTheBackground() {
    recovering(MemoryStore.create()).close();
  }

  @Test
  void theSettingsAreAsTheDocumentSays() {
    Policy policy = Policy.create();
    assertThat(policy.lease()).isEqualTo(Duration.ofSeconds(30));
    assertThat(policy.maxRunning()).isEqualTo(Duration.ofHours(1));
    assertThat(policy.retention()).isEqualTo(Duration.ofHours(24));
    assertThat(policy.waitUpTo()).isZero();
    assertThat(policy.recovery()).isEqualTo(Recovery.park());
    assertThat(policy.largestAnswer()).isEqualTo(1024 * 1024);
    assertThat(Recovery.rerun()).isEqualTo(Recovery.rerun(5, Duration.ofHours(1)));
    assertThat(MemoryStore.create().profile().unsettledRetention()).isEqualTo(Duration.ofDays(30));
  }

  @Test
  void everyEventAndSettingIsInTheDocument() throws IOException {
    String document = Files.readString(Sources.ROOT.resolve("docs/engine.md"));
    for (Event.Kind kind : Event.Kind.values()) {
      assertThat(document).contains("| `" + kind + "` |");
    }
    for (Class<?> settings : List.of(Policy.class, Retrysafe.Builder.class)) {
      for (var method : settings.getDeclaredMethods()) {
        boolean isSetter =
            java.lang.reflect.Modifier.isPublic(method.getModifiers())
                && method.getReturnType() == settings
                && method.getParameterCount() > 0;
        if (isSetter) {
          assertThat(document).contains("| `" + method.getName() + "` |");
        }
      }
    }
  }

  /** A bank that knows its callers' keys. */
  private static final class Bank {
    final List<String> receipts = new ArrayList<>();
    private final List<String> keys = new ArrayList<>();
    int calls;

    String charge(String key, long cents) {
      if (!keys.contains(key)) {
        keys.add(key);
        receipts.add("receipt " + keys.size() + " over " + cents);
      }
      return find(key).orElseThrow();
    }

    String slowCharge(String key, long cents) throws TimeoutException {
      calls++;
      boolean isFirst = !keys.contains(key);
      String receipt = charge(key, cents);
      if (isFirst) {
        throw new TimeoutException("the bank did not answer");
      }
      return receipt;
    }

    Optional<String> find(String key) {
      return keys.contains(key) ? Optional.of(receipts.get(keys.indexOf(key))) : Optional.empty();
    }
  }
}
