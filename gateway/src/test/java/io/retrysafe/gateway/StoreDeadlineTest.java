// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.redis.RedisStore;
import io.retrysafe.testing.servers.PostgresServer;
import io.retrysafe.testing.servers.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A store that is down or stalled: each request gets 503 within {@code store-deadline} and a tenth,
 * the first ones and many at once, whether they wait in the store's queue or for a thread.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoreDeadlineTest extends GatewayTests {
  private static final Duration DEADLINE = Duration.ofSeconds(1);

  private static final Duration MOST = DEADLINE.multipliedBy(11).dividedBy(10);

  /** What a busy machine may add to a request, besides what as many take while all is well. */
  private static final Duration SCHEDULING = Duration.ofMillis(700);

  /** Few, so that requests wait for each other's threads, where those are not virtual. */
  private static final int THREADS_FOR_STORE = 16;

  /** Three in four of these need a thread. */
  private static final int MANY = 160;

  private PostgresServer postgres;
  private RedisServer redis;
  private JdbcStore onPostgres;
  private RedisStore onRedis;

  /** What happens to a server, and how it comes back. */
  record Outage(String name, Store store, Runnable begin, Runnable end) {
    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  void startServers() {
    postgres = PostgresServer.start();
    redis = RedisServer.start();
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(postgres.url());
    onPostgres = JdbcStore.builder(source).applySchema(true).build();
    onRedis = RedisStore.create(redis.url());
  }

  @AfterAll
  void endServers() {
    onPostgres.close();
    onRedis.close();
    postgres.close();
    redis.close();
  }

  Stream<Outage> outages() {
    return Stream.of(
        new Outage("PostgreSQL is down", onPostgres, postgres::kill, postgres::restart),
        new Outage("PostgreSQL is stalled", onPostgres, postgres::stall, postgres::resume),
        new Outage("Redis is down", onRedis, redis::kill, redis::restart),
        new Outage("Redis is stalled", onRedis, redis::stall, redis::resume));
  }

  private record Timed(Wire.Reply reply, Duration took) {}

  private static CompletableFuture<Timed> call(Gateway gateway, String path, String key) {
    return CompletableFuture.supplyAsync(
        () -> {
          long start = System.nanoTime();
          try {
            Wire.Reply reply = Wire.call(port(gateway), Wire.post(path, key));
            return new Timed(reply, Duration.ofNanos(System.nanoTime() - start));
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        },
        THREADS);
  }

  /** Sends many requests at once and returns how they were answered. */
  private static List<Timed> many(Gateway gateway, List<String> keys) throws Exception {
    List<CompletableFuture<Timed>> calls = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      calls.add(call(gateway, i % 4 == 0 ? "/payments" : "/waiting", keys.get(i)));
    }
    List<Timed> answers = new ArrayList<>();
    for (CompletableFuture<Timed> each : calls) {
      answers.add(each.get(60, TimeUnit.SECONDS));
    }
    return answers;
  }

  private static List<String> keys() {
    return Stream.generate(StoreDeadlineTest::fresh).limit(MANY).toList();
  }

  private static Duration slowest(List<Timed> answers) {
    return answers.stream().map(Timed::took).max(Duration::compareTo).orElseThrow();
  }

  private static void refusedInTime(String what, Timed timed, Duration most) {
    assertThat(timed.reply.problem())
        .as("%s: %s", what, timed.reply)
        .isEqualTo("store-unavailable");
    assertThat(timed.reply.text()).contains("\"work_ran\":false");
    assertThat(timed.took).as(what).isLessThan(most.plus(SCHEDULING));
  }

  @ParameterizedTest
  @MethodSource("outages")
  void everyRequestIsRefusedWithinTheDeadline(Outage outage) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (asked, socket) ->
                    (!asked.line().contains("/slow") || go.await(60, TimeUnit.SECONDS))
                        && Upstream.write(socket, 201, "charged")));
    Gateway gateway =
        started(
            Gateway.builder(
                    config(upstream.url())
                        .limits(limits().storeDeadline(DEADLINE).stopWithin(Duration.ofSeconds(10)))
                        // Requests that may wait for a duplicate hold a thread while the store is
                        // asked.
                        .route(
                            GatewayRoute.create("POST /waiting")
                                .policy(HttpPolicy.create().wait(Duration.ofMillis(100))))
                        .build(),
                    outage.store)
                .storeThreads(THREADS_FOR_STORE)
                .start());
    until(() -> Wire.call(port(gateway), Wire.post("/warm", fresh())).status() == 201);
    String running = fresh();
    CompletableFuture<Timed> begun = call(gateway, "/slow", running);
    until(() -> upstream.asked().stream().anyMatch(each -> each.line().contains("/slow")));
    List<String> refused = keys();
    Duration usual = slowest(many(gateway, keys()));

    outage.begin.run();
    try {
      for (String path : List.of("/payments", "/waiting")) {
        Timed first = call(gateway, path, fresh()).get(60, TimeUnit.SECONDS);
        refusedInTime("the first request to " + path, first, MOST);
      }
      for (Timed each : many(gateway, refused)) {
        refusedInTime("one of many requests", each, MOST.plus(usual));
      }
      long start = System.nanoTime();
      go.countDown();
      Wire.Reply pending = begun.get(60, TimeUnit.SECONDS).reply;
      assertThat(pending.text()).contains("store-unavailable", "\"work_ran\":true");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(MOST.plus(SCHEDULING));
    } finally {
      go.countDown();
      outage.end.run();
    }

    until(() -> Wire.call(port(gateway), Wire.post("/slow", running)).isReplayed());
    until(() -> Wire.call(port(gateway), Wire.post("/payments", refused.get(0))).status() == 201);
    until(() -> Wire.call(port(gateway), Wire.post("/waiting", refused.get(1))).status() == 201);
  }

  private static String fresh() {
    return UUID.randomUUID().toString();
  }
}
