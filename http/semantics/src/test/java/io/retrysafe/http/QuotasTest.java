// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.freshKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.store.Metered;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bounds on what accounts hold, with counts that are made when the test says so. */
final class QuotasTest {
  private final AtomicLong nanos = new AtomicLong(1);
  private final Deque<Runnable> counts = new ArrayDeque<>();
  private Instant now = Instant.parse("2026-11-15T12:00:00Z");
  private final MemoryStore store = MemoryStore.builder().clock(() -> now).build();
  private final Retrysafe engine = Retrysafe.builder(store).sweepEvery(Duration.ZERO).build();

  @AfterEach
  void close() {
    engine.close();
  }

  private HttpGuard guard(String setting, Object value) {
    return guard(engine, setting, value);
  }

  private HttpGuard guard(Retrysafe on, String setting, Object value) {
    return HttpGuard.builder(on)
        .policy(HttpPolicy.create().with(setting, value))
        .route("/payments", HttpPolicy.create())
        .nanos(nanos::get)
        .background(counts::add)
        .build();
  }

  /** Lets the time of a count come, lets a request notice it, and counts. */
  private void count(HttpGuard guard) {
    nanos.addAndGet(Quotas.RENEWED.toNanos());
    BeginResult unused = begin(guard, post("another", freshKey()));
    while (!counts.isEmpty()) {
      counts.poll().run();
    }
  }

  private static RequestHead post(String account, String key) {
    return RequestHead.of(
        "POST", "/payments", null, List.of(new Header("Idempotency-Key", key)), account);
  }

  private static BeginResult begin(HttpGuard guard, RequestHead head) {
    Plan.ReadBody plan = (Plan.ReadBody) guard.plan(head);
    return guard.begin(plan, RequestBody.of(Bytes.utf8("body")));
  }

  private static void run(HttpGuard guard, String account, String key, int size) {
    BeginResult.Run run = (BeginResult.Run) begin(guard, post(account, key));
    run.exchange().answered(200, List.of(), Bytes.wrap(new byte[size]));
  }

  private static Answer refused(HttpGuard guard, String account, String key) {
    return ((BeginResult.Answered) begin(guard, post(account, key))).answer();
  }

  @Test
  void anAccountWithTooManyEntriesStartsNoNewOneAndGetsItsRecordedAnswers() {
    HttpGuard guard = guard("entries-per-account", 3);
    String first = freshKey();
    run(guard, "a", first, 10);
    run(guard, "a", freshKey(), 10);
    run(guard, "b", freshKey(), 10);
    count(guard);
    run(guard, "a", freshKey(), 10);
    count(guard);

    Answer refused = refused(guard, "a", freshKey());
    assertThat(refused.status()).isEqualTo(429);
    assertThat(World.type(refused)).isEqualTo("quota-exceeded");
    assertThat(World.member(refused, "retryable")).isEqualTo("true");
    assertThat(World.member(refused, "retry_after")).isEqualTo("30");
    assertThat(refused(guard, "a", first).status())
        .as("a retry of what is recorded")
        .isEqualTo(200);
    run(guard, "b", freshKey(), 10);
  }

  @Test
  void anAccountWithTooManyBytesStartsNoNewOneUntilTheyExpire() {
    HttpGuard guard = guard("bytes-per-account", "1MiB");
    run(guard, "a", freshKey(), 500_000);
    run(guard, "a", freshKey(), 500_000);
    count(guard);
    run(guard, "a", freshKey(), 50_000);
    count(guard);
    assertThat(World.type(refused(guard, "a", freshKey()))).isEqualTo("quota-exceeded");

    now = now.plus(Duration.ofDays(2));
    assertThat(World.type(refused(guard, "a", freshKey())))
        .as("the count is as old as the last one")
        .isEqualTo("quota-exceeded");
    count(guard);
    run(guard, "a", freshKey(), 10);
  }

  @Test
  void aFullStoreStartsNothingNewForAnybody() {
    HttpGuard guard = guard("store-limit", "1MiB");
    String first = freshKey();
    run(guard, "a", first, 600_000);
    run(guard, "b", freshKey(), 600_000);
    count(guard);

    Answer refused = refused(guard, "c", freshKey());
    assertThat(refused.status()).isEqualTo(507);
    assertThat(World.type(refused)).isEqualTo("store-full");
    assertThat(refused(guard, "a", first).status()).isEqualTo(200);
  }

  @Test
  void aCountThatFailsLeavesTheLastOneAndIsMadeAgain() {
    HttpGuard guard = guard("entries-per-account", 1);
    run(guard, "a", freshKey(), 10);
    count(guard);
    assertThat(World.type(refused(guard, "a", freshKey()))).isEqualTo("quota-exceeded");
    nanos.addAndGet(Quotas.RENEWED.toNanos());
    assertThat(World.type(refused(guard, "a", freshKey()))).isEqualTo("quota-exceeded");
    assertThat(counts).as("one count at a time").hasSize(1);
    assertThat(World.type(refused(guard, "a", freshKey()))).isEqualTo("quota-exceeded");
    assertThat(counts).as("one count at a time").hasSize(1);
  }

  @Test
  void anErrorInACountEndsNoCounting() {
    AtomicInteger errors = new AtomicInteger(1);
    Store broken =
        (Store)
            Proxy.newProxyInstance(
                QuotasTest.class.getClassLoader(),
                new Class<?>[] {Store.class, Metered.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("usage") && errors.getAndDecrement() > 0) {
                    throw new StackOverflowError("as planned");
                  }
                  // The default method returns the proxy itself, not the store behind it.
                  return method.isDefault()
                      ? InvocationHandler.invokeDefault(proxy, method, arguments)
                      : method.invoke(store, arguments);
                });
    try (Retrysafe counted = Retrysafe.builder(broken).sweepEvery(Duration.ZERO).build()) {
      HttpGuard guard = guard(counted, "entries-per-account", 1);
      run(guard, "a", freshKey(), 10);
      count(guard);
      assertThat(errors).as("it was thrown in the first count").hasValueLessThan(1);
      count(guard);
      assertThat(World.type(refused(guard, "a", freshKey()))).isEqualTo("quota-exceeded");
    }
  }

  @Test
  void quotasAreOffByDefaultAndNeedAStoreThatCounts() {
    HttpGuard guard = guard("waiters", 5);
    run(guard, "a", freshKey(), 10);
    assertThat(counts).isEmpty();

    try (World world = World.create()) {
      assertThatThrownBy(
              () ->
                  HttpGuard.builder(world.engine)
                      .policy(HttpPolicy.create().with("store-limit", "1GiB"))
                      .build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("store-limit");
    }
  }
}
