// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Release;
import io.retrysafe.store.jdbc.Request.OtherRequest;
import io.retrysafe.testing.servers.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Errors, of the driver or because memory or stack ran out, end a call and never a thread of the
 * store.
 */
final class ThrownErrorsTest {
  private static final PostgresServer SERVER = PostgresServer.start();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private record Case(String name, DataSource source, Supplier<Error> error) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
            new Case("PostgreSQL", Databases.postgres(SERVER), OutOfMemoryError::new),
            new Case("SQLite", Databases.sqlite(Databases.newFile()), OutOfMemoryError::new))
        .flatMap(
            each ->
                Stream.of(
                    new Case(each.name + ", no memory", each.source, each.error),
                    new Case(each.name + ", no stack", each.source, StackOverflowError::new),
                    new Case(
                        each.name + ", no class",
                        each.source,
                        () -> new ExceptionInInitializerError("driver"))));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aLaneGoesOnAfterAnError(Case it) throws Exception {
    FaultySource faulty = new FaultySource(it.source);
    StoreContext context = StoreContext.of(builder(faulty));
    try (JdbcStore store = new JdbcStore(context)) {
      for (String method : List.of("prepareStatement", "createStatement", "close")) {
        List<Claim> claims =
            Stream.generate(() -> Samples.claim(Samples.newKey())).limit(50).toList();
        faulty.fail(method, 3, it.error);
        List<CompletableFuture<ClaimResult>> calls = new ArrayList<>();
        for (Claim claim : claims) {
          calls.add(store.claim(claim, ForkJoinPool.commonPool()).toCompletableFuture());
        }
        for (CompletableFuture<ClaimResult> call : calls) {
          assertThat(call.get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
        }
        faulty.fail(method, 3, it.error);
        for (Claim claim : claims.subList(0, 4)) {
          assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
        }
        faulty.fail(method, 3, it.error);
        assertThat(store.renew(Set.of(claims.get(5).owner()), Samples.RETENTION)).hasSize(1);
        assertThat(store.release(claims.get(6).owner(), Release.FREE)).isTrue();
        assertThat(store.find(claims.get(5).key())).isPresent();
        faulty.fail(method, 0, it.error);
      }
      assertThat(context.queue().isAlive()).isTrue();
      assertThat(faulty.thrown()).as("errors that were thrown").isGreaterThan(5);
    }
  }

  @Test
  void aCallThatEndsInAnErrorTillTheEndIsNotAnswered() {
    FaultySource faulty = new FaultySource(Databases.postgres(SERVER));
    try (JdbcStore store = builder(faulty).timeout(Duration.ofMillis(300)).build()) {
      faulty.fail("prepareStatement", Integer.MAX_VALUE, () -> new OutOfMemoryError("so much"));
      assertThatThrownBy(() -> store.claim(Samples.claim(Samples.newKey())))
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("OutOfMemoryError: so much");
      faulty.fail("prepareStatement", 0, OutOfMemoryError::new);
      assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
    }
  }

  @Test
  void anErrorOfTheSourceIsToldAtOnce() {
    FaultySource faulty = new FaultySource(Databases.postgres(SERVER));
    try (JdbcStore store = builder(faulty).build()) {
      faulty.fail("getConnection", 2, () -> new NoClassDefFoundError("driver"));
      long start = System.nanoTime();
      assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
  }

  @Test
  void theMonitorContinuesAfterAnError() throws Exception {
    CountDownLatch looks = new CountDownLatch(3);
    LongConsumer broken =
        now -> {
          looks.countDown();
          throw new StackOverflowError();
        };
    CountDownLatch others = new CountDownLatch(3);
    LaneMonitor monitor =
        new LaneMonitor(List.of(broken, now -> others.countDown()), Duration.ofMillis(40));
    monitor.start();
    assertThat(looks.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(others.await(30, TimeUnit.SECONDS)).isTrue();
    monitor.close();
  }

  @Test
  void aCallerThatCannotBeToldIsToldAgain() throws Exception {
    CountDownLatch told = new CountDownLatch(3);
    PendingRequest<Boolean> call =
        new PendingRequest<>(
            new OtherRequest<>(
                RowId.of(Samples.newKey()), session -> new AttemptResult.Answered<>(true)),
            PendingRequest.deadline(Samples.RETENTION),
            each -> {
              told.countDown();
              if (told.getCount() > 0) {
                throw new OutOfMemoryError();
              }
            });
    call.reply(new AttemptResult.Answered<>(true));
    assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
  }

  private static JdbcStore.Builder builder(DataSource source) {
    return JdbcStore.builder(source).timeout(Duration.ofSeconds(20)).applySchema(true);
  }
}
