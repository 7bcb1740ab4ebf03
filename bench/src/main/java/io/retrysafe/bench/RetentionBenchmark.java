// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.bench.Comparison.Call;
import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Session;
import io.retrysafe.store.jdbc.JdbcStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;

/** First calls while a million expired rows are removed without a pause, and while nothing is. */
final class RetentionBenchmark implements Benchmark {
  private static final int FIRST_CALLS = 100_000;
  private static final int EXPIRED = 1_000_000;
  private static final int BATCH = 500;
  private static final Scope SCOPE = Scope.of("merchant_7", "POST", "/payments");
  private static final String ALONE = "alone";
  private static final String REMOVING = "while removing";

  private String url = "";
  private int left;

  @Override
  public String name() {
    return "retention";
  }

  @Override
  public String description() {
    return "claim and complete on PostgreSQL while expired rows are removed, " + Postgres.SETTINGS;
  }

  @Override
  public Unit unit() {
    return Unit.MILLISECONDS;
  }

  @Override
  public List<Integer> callers() {
    return List.of(32, 256);
  }

  @Override
  public double quiet() {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public List<Comparison> comparisons() {
    return List.of(
        new Comparison(
            "first",
            FIRST_CALLS,
            List.of(
                Contender.baseline(ALONE, (callers, calls) -> open(false)),
                Contender.of(REMOVING, (callers, calls) -> open(true)))));
  }

  private Session open(boolean isRemoving) throws SQLException {
    if (url.isEmpty()) {
      url = Postgres.database("retention");
    }
    JdbcStore store = Postgres.store(url);
    if (left < EXPIRED / 4) {
      load();
      left = EXPIRED;
    }
    Way way = Way.begin(store);
    AtomicBoolean isOver = new AtomicBoolean();
    Thread sweeper =
        new Thread(
            () -> {
              while (!isOver.get()) {
                left -= store.sweep(BATCH).removed();
              }
            });
    if (isRemoving) {
      sweeper.start();
    }
    return new Session() {
      @Override
      public Call caller(int number) {
        return call -> way.call(OperationKey.of(SCOPE, UUID.randomUUID().toString()));
      }

      @Override
      public void close() {
        isOver.set(true);
        join(sweeper);
        way.close();
        store.close();
      }
    };
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void load() throws SQLException {
    Postgres.execute(
        url,
        "INSERT INTO retrysafe_entry (id, tenant, endpoint, key, fingerprint, token, phase, previous,"
            + " attempt, fence, status_code, created_at, completed_at, lease_until, expires_at, outcome)"
            + " SELECT substr(sha256((i || now()::text)::bytea), 1, 24), 'merchant_7',"
            + " 'POST /payments', 'order-' || i, '\\x00', substr(sha256(i::text::bytea), 9, 16), 3, 0,"
            + " 1, 1, 201, now(), now(), now(), now() - interval '1 hour', decode(repeat('ab', 120), 'hex')"
            + " FROM generate_series(1, "
            + EXPIRED
            + ") i");
    Postgres.execute(url, "VACUUM ANALYZE retrysafe_entry");
    Postgres.execute(url, "CHECKPOINT");
  }

  @Override
  public List<Goal> goals() {
    return List.of(
        new Goal(
            "p99 while removing at most 2 times that of alone",
            rows -> callers().stream().map(count -> worse(rows, count)).toList()));
  }

  private static Verdict worse(List<Row> rows, int callers) {
    ToDoubleFunction<String> p99 =
        contender ->
            rows.stream()
                .filter(row -> row.contender().equals(contender) && row.callers() == callers)
                .mapToDouble(row -> row.median().p99())
                .findFirst()
                .orElse(Double.NaN);
    double ratio = p99.applyAsDouble(REMOVING) / p99.applyAsDouble(ALONE);
    return new Verdict(
        String.format(Locale.ROOT, "%.2f times, callers %d", ratio, callers), ratio <= 2);
  }
}
