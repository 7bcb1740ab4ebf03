// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.bench.Comparison.Call;
import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Opening;
import io.retrysafe.bench.Comparison.Session;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.redis.RedisStore;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What writing the history costs: the same calls with and without it. */
final class HistoryBenchmark implements Benchmark {
  private static final int FIRST_CALLS = 200_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Scope SCOPE = Scope.of("merchant_7", "POST", "/payments");

  private Optional<RedisServer> redis = Optional.empty();

  @Override
  public String name() {
    return "history";
  }

  @Override
  public String description() {
    return "claim and complete with and without the history, on PostgreSQL ("
        + Postgres.SETTINGS
        + ") and Redis (AOF everysec)";
  }

  @Override
  public Unit unit() {
    return Unit.MILLISECONDS;
  }

  @Override
  public List<Integer> callers() {
    return List.of(1, 32, 256);
  }

  /** The servers are neighbours that belong to what is measured. */
  @Override
  public double quiet() {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public List<Comparison> comparisons() {
    return List.of(
        new Comparison(
            "postgres",
            FIRST_CALLS,
            List.of(
                Contender.baseline("without", opening(HistoryBenchmark::postgresStore, false)),
                Contender.of("with", opening(HistoryBenchmark::postgresStore, true)))),
        new Comparison(
            "redis",
            FIRST_CALLS,
            List.of(
                Contender.baseline("without", opening(this::redisStore, false)),
                Contender.of("with", opening(this::redisStore, true)))));
  }

  /** Makes an empty store. */
  private interface Making {
    Store make() throws Exception;
  }

  private static Opening opening(Making making, boolean history) {
    return (callers, calls) -> {
      Store store = making.make();
      Way way = Way.begin(store, history);
      return new Session() {
        @Override
        public Call caller(int number) {
          return call -> way.call(OperationKey.of(SCOPE, "order-" + number + '-' + call));
        }

        @Override
        public void close() {
          way.close();
          if (store instanceof JdbcStore jdbc) {
            jdbc.close();
          } else if (store instanceof RedisStore other) {
            other.close();
          }
        }
      };
    };
  }

  private static Store postgresStore() throws Exception {
    JdbcStore store = Postgres.store(Postgres.url());
    Postgres.empty(Postgres.url(), "retrysafe_entry, retrysafe_event");
    return store;
  }

  private Store redisStore() {
    if (redis.isEmpty()) {
      redis = Optional.of(RedisServer.start(Aof.EVERYSEC));
    }
    redis.get().tell("FLUSHALL", "SYNC");
    return RedisStore.builder(redis.get().url()).timeout(PATIENCE).build();
  }

  @Override
  public List<Goal> goals() {
    return List.of(new Goal("history costs at most 10 %", HistoryBenchmark::verdicts));
  }

  private static List<Verdict> verdicts(List<Row> rows) {
    return rows.stream()
        .filter(row -> row.contender().equals("with"))
        .map(
            row -> {
              double ratio = row.ratios().getOrDefault("without", 0.0);
              String measured =
                  String.format(
                      Locale.ROOT,
                      "%.2f times without  %s, callers %d",
                      ratio,
                      row.name(),
                      row.callers());
              return new Verdict(measured, ratio >= 0.9);
            })
        .toList();
  }
}
