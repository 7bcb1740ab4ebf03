// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.retrysafe.Bytes;
import io.retrysafe.Event;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.operations.RefusedException.Reason;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.store.Wakeups;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the view does, the same on every store. */
abstract class OperationsContract {
  private static final AuditNote NOTE = new AuditNote("alice", "the bank says so");
  private static final ChangeRequest ALICE = new ChangeRequest(NOTE, OptionalLong.empty());
  private static final Fingerprint REQUEST = Fingerprint.ofText("25 EUR");

  private final String account = "merchant_" + UUID.randomUUID();
  private final Scope scope = Scope.of(account, "POST", "/payments");
  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final Retrysafe engine =
      Retrysafe.builder(store())
          .listener(events::add)
          .sweepEvery(Duration.ZERO)
          .history(false)
          .name("gw-9")
          .build();
  private final Operations operations =
      Operations.builder(store(), engine).service(key -> Optional.of("app")).build();

  @AfterEach
  void stop() {
    engine.close();
  }

  abstract Store store();

  private Owner claimed(Scope where, String name, Duration lease) {
    OperationKey key = OperationKey.of(where, name);
    Token token = Token.of(UUID.randomUUID());
    assertThat(store().claim(new Claim(key, REQUEST, token, lease, TakeOver.NONE)))
        .isInstanceOf(ClaimResult.Granted.class);
    return new Owner(key, token);
  }

  private OperationId unknown(String name) {
    Owner owner = claimed(scope, name, Duration.ofMinutes(1));
    assertThat(store().release(owner, Release.UNKNOWN)).isTrue();
    return new OperationId(owner.key());
  }

  private OperationId completed(Scope where, String name) {
    Owner owner = claimed(where, name, Duration.ofMinutes(1));
    Outcome outcome =
        Outcome.of(
            201,
            List.of(
                new Attribute("Content-Type", "text/plain"),
                new Attribute("X-Session-Token", "hush")),
            Bytes.utf8("receipt \033[31m1"));
    assertThat(store().complete(owner, outcome, Duration.ofHours(1))).isTrue();
    return new OperationId(owner.key());
  }

  private OperationQuery query(String... pairs) {
    Map<String, String> parameters = new HashMap<>(Map.of("account", account));
    for (int i = 0; i < pairs.length; i += 2) {
      parameters.put(pairs[i], pairs[i + 1]);
    }
    return OperationQuery.of(parameters);
  }

  private void happened(OperationId id, String kind, String by, int count) {
    Entry entry = store().find(id.key()).orElseThrow();
    Instant at = entry.times().createdAt();
    ((History) store())
        .append(List.of(new History.Event(id.key(), kind, by, at, at.plusSeconds(5), count, "")));
  }

  private static List<String> keys(Listing listing) {
    return listing.operations().stream().map(OperationSummary::key).toList();
  }

  @Test
  void everyIdLeadsBackToItsOperation() {
    OperationId id = completed(scope, "order-1");
    assertThat(OperationId.of(id.toString())).isEqualTo(id);
    assertThat(operations.show(OperationId.of(id.toString())).operation().key())
        .isEqualTo("order-1");
  }

  @Test
  void operationsAreListedByState() {
    unknown("lost");
    completed(scope, "paid");
    claimed(scope, "running", Duration.ofMinutes(1));
    assertThat(keys(operations.list(query()))).containsExactlyInAnyOrder("lost", "paid", "running");
    assertThat(keys(operations.list(query("state", "unknown")))).containsExactly("lost");
    assertThat(keys(operations.list(query("state", "completed,in_progress"))))
        .containsExactlyInAnyOrder("paid", "running");
    assertThat(keys(operations.list(query("state", "unknown", "older", "1h")))).isEmpty();
  }

  @Test
  void operationsAreListedByRouteAndKey() {
    completed(scope, "a");
    completed(Scope.of(account, "POST", "/payments/7/refunds"), "a");
    completed(Scope.of(account, "POST", "/payments/7/refunds/9"), "b");
    assertThat(keys(operations.list(query("route", "POST /payments")))).containsExactly("a");
    assertThat(keys(operations.list(query("route", "POST /payments/{id}/refunds"))))
        .containsExactly("a");
    assertThat(operations.list(query("key", "a")).operations()).hasSize(2);
    assertThat(operations.list(query("key", "a", "route", "POST /payments")).operations())
        .hasSize(1);
    assertThat(operations.list(query("key", "none", "route", "POST /payments")).operations())
        .isEmpty();
  }

  @Test
  void theSharedAccountIsListedLikeAnyOther() {
    String path = "/" + UUID.randomUUID();
    completed(Scope.of("anonymous", "shared", "POST", path), "a");
    completed(Scope.of(account, "POST", path), "b");
    completed(Scope.of(account, "POST", path), "c");
    List<String> seen = new ArrayList<>();
    Optional<String> cursor = Optional.of("");
    for (int i = 0; cursor.isPresent() && i < 10; i++) {
      Listing page =
          operations.list(
              OperationQuery.of(
                  Map.of("route", "POST " + path, "limit", "1", "cursor", cursor.get())));
      page.operations().forEach(each -> seen.add(each.key() + " " + each.endpoint()));
      cursor = page.next();
    }
    assertThat(seen)
        .containsExactlyInAnyOrder("a POST " + path, "b POST " + path, "c POST " + path);
    for (String named : List.of("POST " + path, "POST /{name}")) {
      OperationQuery query =
          OperationQuery.of(Map.of("account", "anonymous", "key", "a", "route", named));
      assertThat(operations.list(query).operations()).isNotEmpty();
    }
  }

  @Test
  void pagesJoinToTheWhole() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      unknown("k" + i);
      all.add("k" + i);
    }
    List<String> seen = new ArrayList<>();
    Optional<String> cursor = Optional.of("");
    for (int i = 0; cursor.isPresent() && i < 10; i++) {
      Listing page =
          operations.list(query("state", "unknown", "limit", "3", "cursor", cursor.get()));
      assertThat(page.operations()).hasSizeLessThanOrEqualTo(3);
      seen.addAll(keys(page));
      cursor = page.next();
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void selfTestsAreNotListed() {
    completed(Operations.SELF_TEST, UUID.randomUUID().toString());
    assertThat(operations.list(OperationQuery.create()).operations())
        .noneMatch(each -> each.endpoint().equals("self-test"));
  }

  @Test
  void aCompletedOperationIsExplained() {
    OperationId id = completed(scope, "paid");
    assertThat(operations.show(id).explanation())
        .matches("executed once at [0-9:]{8}, answered 201 in [0-9]+ms");
    happened(id, "claimed", "gw-2", 1);
    happened(id, "replayed", "gw-1", 2);
    happened(id, "replayed", "gw-2", 1);
    assertThat(operations.explain(query("key", "paid")).text().replace('\n', ' '))
        .matches(
            "executed once by gw-2 at [0-9:]{8}, answered 201 in [0-9]+ms,"
                + " replayed 3 times \\(last [0-9:]{8}\\) ");
    assertThat(operations.show(id).timeline()).hasSize(3);
  }

  @Test
  void anUnknownOperationIsExplainedWithWhatToDo() {
    OperationId id = unknown("lost");
    happened(id, "claimed", "gw-1", 1);
    assertThat(operations.show(id).explanation())
        .matches(
            "outcome unknown since [0-9:]{8}: gw-1 sent it to app and got no answer;"
                + " ask app, then `operations resolve lost --fence [0-9]+ --reason … --done --status N` or"
                + " `--not-done`");
    assertThat(operations.show(id).text()).containsPattern("unknown since  2[-0-9: ]+");
    assertThat(operations.show(unknown("it's lost")).explanation())
        .contains("operations resolve 'it'\\''s lost' --fence ");
  }

  @Test
  void aLateAnswerIsNotCalledAQuickOne() {
    Owner owner = claimed(scope, "late", Duration.ofMinutes(1));
    OperationId id = new OperationId(owner.key());
    assertThat(store().release(owner, Release.UNKNOWN)).isTrue();
    assertThat(
            store().complete(owner, Outcome.of(201, List.of(), Bytes.EMPTY), Duration.ofHours(1)))
        .isTrue();
    happened(id, "claimed", "gw-1", 1);
    happened(id, "completed", "gw-1", 1);
    assertThat(operations.show(id).explanation())
        .matches("executed once by gw-1 at [0-9:]{8}, answered 201 late, at [0-9-: ]+");
    Instant began = store().find(owner.key()).orElseThrow().times().createdAt();
    assertThat(operations.show(id).text())
        .contains("settled        " + Moments.full(began.plusSeconds(5)));
  }

  @Test
  void onlyTheActionThatSettledAnOperationIsSaidToHaveDoneSo() {
    OperationId id = unknown("lost");
    happened(id, "claimed", "gw-1", 1);
    Entry seen = store().find(id.key()).orElseThrow();
    Resolution done =
        new Resolution.Done(Outcome.of(201, List.of(), Bytes.EMPTY), Duration.ofHours(1));
    assertThat(engine.resolve(seen, done, new AuditNote("bob", "seen")))
        .isEqualTo(Resolved.APPLIED);
    assertThat(engine.resolve(seen, done, NOTE)).isEqualTo(Resolved.CHANGED);
    assertThat(operations.show(id).explanation())
        .startsWith("said to be done by bob at ")
        .contains("(done with 201: seen), answers 201");
    assertThat(operations.show(id).timeline())
        .extracting(TimelineEvent::kind, TimelineEvent::by, TimelineEvent::detail)
        .containsExactly(
            tuple("claimed", "gw-1", ""),
            tuple("resolved", "bob", "done with 201: seen"),
            tuple(
                "refused",
                "alice",
                "done with 201: the bank says so (refused: the operation had changed)"));
  }

  @Test
  void anActionWithoutARecordedResultIsRecognisable() {
    OperationId id = unknown("lost");
    Entry seen = store().find(id.key()).orElseThrow();
    Token token = Token.of(UUID.randomUUID());
    Resolution done =
        new Resolution.Done(Outcome.of(201, List.of(), Bytes.EMPTY), Duration.ofHours(1));
    AuditRecord requested = AuditRecord.requested(seen, token, done, NOTE, "gw-1", Instant.now());
    ((History) store()).append(List.of(requested.toEvent()));
    assertThat(audited(id))
        .containsExactly("alice done with 201: the bank says so (no result was recorded)");
    assertThat(operations.show(id).timeline())
        .extracting(TimelineEvent::kind)
        .containsExactly("requested");
    assertThat(operations.show(id).explanation()).startsWith("outcome unknown");

    // As if the process had crashed right after the store applied the action.
    assertThat(((Resolvable) store()).resolve(seen, token, done)).isEqualTo(Resolved.APPLIED);
    assertThat(operations.show(id).explanation()).startsWith("said to be done by alice");
    assertThat(operations.show(id).timeline())
        .extracting(TimelineEvent::kind)
        .containsExactly("resolved");
  }

  @Test
  void theAuditIsTyped() {
    OperationId id = unknown("lost");
    long fence = operations.show(id).operation().fence();
    operations.resolve(id, new Verdict.NotDone(), ALICE);
    AuditRecord record =
        operations.audit(AuditQuery.create()).actions().stream()
            .filter(each -> each.id().equals(id))
            .map(each -> each.record().orElseThrow())
            .findFirst()
            .orElseThrow();
    assertThat(record.note()).isEqualTo(NOTE);
    assertThat(record.action()).isEqualTo(AuditRecord.Action.NOT_DONE);
    assertThat(record.result()).isEqualTo(AuditRecord.Result.APPLIED);
    assertThat(record.fence()).isEqualTo(fence);
    assertThat(record.process()).isEqualTo("gw-9");
    assertThat(operations.audit(AuditQuery.create()).json())
        .contains(
            "\"action\":\"not_done\",\"reason\":\"the bank says so\",\"result\":\"applied\","
                + "\"fence\":"
                + fence
                + ",\"process\":\"gw-9\"");
  }

  @Test
  void aRecordOfALaterReleaseIsShownAsItIsStored() {
    OperationId id = completed(scope, "paid");
    Instant now = Instant.now();
    ((History) store())
        .append(
            List.of(
                new History.Event(
                    id.key(), History.RESOLVED, "bob", now, now, 1, "audit/2 what=moved")));
    assertThat(audited(id)).containsExactly("bob audit/2 what=moved");
    assertThat(operations.audit(AuditQuery.create()).json())
        .contains("\"detail\":\"audit/2 what=moved\"");
    assertThat(operations.show(id).explanation()).startsWith("executed once");
  }

  @Test
  void changesAreEventsAndWakeWhoWaits() throws InterruptedException {
    OperationId id = unknown("lost");
    operations.resolve(id, new Verdict.NotDone(), ALICE);
    operations.forget(completed(scope, "paid"), ALICE);
    assertThat(events)
        .extracting(Event::kind)
        .containsExactly(Event.Kind.RESOLVED, Event.Kind.FORGOTTEN);

    if (store() instanceof Wakeups wakeups) {
      OperationId other = unknown("watched");
      CountDownLatch woken = new CountDownLatch(1);
      Wakeups.Watch watch = wakeups.watch(other.key(), woken::countDown);
      operations.resolve(other, new Verdict.NotDone(), ALICE);
      assertThat(woken.await(10, TimeUnit.SECONDS)).isTrue();
      watch.close();
    }
  }

  @Test
  void anExplanationReadsTheEntryOnce() {
    completed(scope, "paid");
    List<Object> reads = new ArrayList<>();
    Store counting =
        (Store)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Store.class, Browsable.class, History.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("capability")) {
                    return InvocationHandler.invokeDefault(proxy, method, arguments);
                  }
                  if (method.getName().equals("find") || method.getName().equals("browse")) {
                    reads.add(arguments[0]);
                  }
                  return method.invoke(store(), arguments);
                });
    Operations counted = Operations.create(counting, engine);
    counted.explain(query("key", "paid", "route", "POST /payments"));
    assertThat(reads)
        .as("by name")
        .contains(OperationKey.of(scope, "paid"))
        .doesNotHaveDuplicates();
    reads.clear();
    counted.explain(query("key", "paid"));
    assertThat(reads).as("in a listing").hasSize(1);
  }

  @Test
  void theAuditComesInPagesWithoutGaps() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      operations.forget(completed(scope, "k" + i), ALICE);
      all.add("k" + i);
    }
    // Three at one moment, which no page may tear apart, and one after them.
    Instant moment = Instant.now().plusSeconds(1000).truncatedTo(ChronoUnit.MICROS);
    for (int i = 5; i < 9; i++) {
      OperationId id = completed(scope, "k" + i);
      Instant at = i < 8 ? moment : moment.plusMillis(500);
      ((History) store())
          .append(List.of(new History.Event(id.key(), History.RESOLVED, "bob", at, at, 1, "done")));
      all.add("k" + i);
    }
    for (String limit : List.of("3", "4", "100", "1000")) {
      List<String> seen = new ArrayList<>();
      Optional<Instant> before = Optional.of(moment.plusSeconds(1));
      for (int i = 0; before.isPresent() && i < 1000; i++) {
        Audit page =
            operations.audit(
                AuditQuery.of(Map.of("limit", limit, "before", before.get().toString())));
        page.actions().stream()
            .filter(each -> each.id().key().scope().account().equals(account))
            .forEach(each -> seen.add(each.id().key().value()));
        before = page.next();
      }
      assertThat(seen).as(limit).containsExactlyInAnyOrderElementsOf(all);
    }
    for (String wrong :
        List.of("yesterday", "-999999999-01-01T00:00:00Z", "+99999-01-01T00:00:00Z")) {
      assertThatThrownBy(() -> AuditQuery.of(Map.of("before", wrong)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("before must be a time");
    }
  }

  @Test
  void severalHoldersOfAKeyAreCandidates() {
    completed(scope, "both");
    completed(Scope.of(account, "POST", "/refunds"), "both");
    Explanation explanation = operations.explain(query("key", "both"));
    assertThat(explanation.operations()).hasSize(2);
    assertThat(explanation.text())
        .startsWith("2 operations have this key")
        .contains("POST /payments", "POST /refunds", "--account " + account);
    refused(Reason.NOT_FOUND, () -> operations.explain(query("key", "nobody's")));
  }

  @Test
  void answersAreShownWithoutSecretsAndEscapes() {
    KeptAnswer answer = operations.answer(completed(scope, "paid"));
    assertThat(answer.json())
        .contains("\"status\":201", "text/plain", "(masked)", "receipt \\u001b[31m1")
        .doesNotContain("hush");
    assertThat(answer.text()).contains("receipt \\u001b[31m1").doesNotContain("hush", "\033");
    refused(Reason.NOT_SETTLED, () -> operations.answer(unknown("lost")));
  }

  @Test
  void whatWasDoneIsAnsweredFromThenOn() {
    OperationId id = unknown("lost");
    Verdict done = new Verdict.Done(201, List.of(), Bytes.utf8("receipt 7"), Duration.ofHours(1));
    Change change = operations.resolve(id, done, ALICE);
    assertThat(change.text()).isEqualTo("done with 201: retries get this answer from now on\n");
    Entry entry = store().find(id.key()).orElseThrow();
    assertThat(entry.state()).isEqualTo(State.COMPLETED);
    assertThat(entry.outcome().orElseThrow().body().toUtf8()).isEqualTo("receipt 7");
    assertThat(operations.show(id).explanation())
        .contains("said to be done by alice")
        .contains("the bank says so");
    refused(Reason.SETTLED, () -> operations.resolve(id, done, ALICE));
    assertThat(audited(id)).containsExactly("alice done with 201: the bank says so");
  }

  @Test
  void whatWasNotDoneRunsAgain() {
    OperationId id = unknown("lost");
    operations.resolve(id, new Verdict.NotDone(), ALICE);
    refused(Reason.NOT_FOUND, () -> operations.show(id));
    assertThat(audited(id)).containsExactly("alice not done: the bank says so");
    claimed(scope, "lost", Duration.ofMinutes(1));
  }

  @Test
  void aLeasedOperationIsLeftAlone() {
    OperationId id = new OperationId(claimed(scope, "running", Duration.ofMinutes(1)).key());
    happened(id, "claimed", "gw-2", 1);
    for (Runnable wish :
        List.<Runnable>of(
            () -> operations.resolve(id, new Verdict.NotDone(), ALICE),
            () -> operations.forget(id, ALICE))) {
      assertThatThrownBy(wish::run)
          .isInstanceOf(RefusedException.class)
          .hasMessageMatching("The operation is running: leased until [0-9:]{8} by gw-2[.]");
    }
    assertThat(store().find(id.key()).orElseThrow().state()).isEqualTo(State.IN_PROGRESS);
    assertThat(audited(id)).isEmpty();
  }

  @Test
  void aChangeIsBoundToWhatWasSeen() {
    OperationId id = unknown("lost");
    long fence = operations.show(id).operation().fence();
    refused(
        Reason.CHANGED,
        () ->
            operations.resolve(
                id, new Verdict.NotDone(), new ChangeRequest(NOTE, OptionalLong.of(fence - 1))));
    operations.resolve(id, new Verdict.NotDone(), new ChangeRequest(NOTE, OptionalLong.of(fence)));
  }

  @Test
  void aForgottenOperationIsGoneAndAudited() {
    OperationId id = completed(scope, "paid");
    operations.forget(id, ALICE);
    refused(Reason.NOT_FOUND, () -> operations.show(id));
    refused(Reason.NOT_FOUND, () -> operations.forget(id, ALICE));
    assertThat(audited(id)).containsExactly("alice forgotten: the bank says so");
  }

  @Test
  void statesAreCounted() {
    Stats before = operations.stats();
    unknown("lost");
    completed(scope, "paid");
    completed(scope, "paid too");
    Stats after = operations.stats();
    assertThat(count(after, State.UNKNOWN) - count(before, State.UNKNOWN)).isEqualTo(1);
    assertThat(count(after, State.COMPLETED) - count(before, State.COMPLETED)).isEqualTo(2);
    assertThat(after.oldestUnknown()).isPresent();
    assertThat(after.json()).contains("\"at_least\":[]", "\"unknown\":");
  }

  private static int count(Stats stats, State state) {
    return stats.counts().getOrDefault(state, 0);
  }

  private List<String> audited(OperationId id) {
    return operations.audit(AuditQuery.create()).actions().stream()
        .filter(each -> each.id().equals(id))
        .map(each -> each.actor() + " " + each.text())
        .toList();
  }

  private static void refused(Reason reason, Runnable wish) {
    assertThatThrownBy(wish::run)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
