// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.bench.Comparison.Call;
import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Session;
import io.retrysafe.store.jdbc.JdbcStore;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.ToDoubleFunction;

/** First calls while an engine removes a million expired rows, and while nothing is removed. */
final class RetentionBenchmark implements Benchmark {
  private static final int FIRST_CALLS = 100_000;
  private static final int EXPIRED = 1_000_000;
  private static final Scope SCOPE = Scope.of("merchant_7", "POST", "/payments");
  private static final String ALONE = "alone";
  private static final String REMOVING = "while removing";

  private String url = "";
  private long left;
  private long removed;

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
    Duration every = isRemoving ? Duration.ofMillis(1) : Duration.ZERO;
    Retrysafe sweeper = Retrysafe.builder(store).sweepEvery(every).build();
    return new Session() {
      @Override
      public Call caller(int number) {
        return call -> way.call(OperationKey.of(SCOPE, UUID.randomUUID().toString()));
      }

      @Override
      public void close() throws IOException {
        sweeper.close();
        way.close();
        store.close();
        count();
      }
    };
  }

  private void count() throws IOException {
    try {
      long now =
          Postgres.number(url, "SELECT count(*) FROM retrysafe_entry WHERE expires_at < now()");
      removed += left - now;
      left = now;
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  private void load() throws SQLException {
    SettledRows.insert(
        url,
        EXPIRED,
        "substr(sha256((i || now()::text)::bytea), 1, 24)",
        "now() - interval '1 hour'");
    SettledRows.settle(url);
  }

  @Override
  public List<Goal> goals() {
    return List.of(
        new Goal(
            "p99 while removing at most 2 times that of alone",
            rows -> callers().stream().map(count -> worse(rows, count)).toList()),
        new Goal(
            "at least a million rows removed meanwhile",
            rows -> List.of(new Verdict(removed + " rows", removed >= EXPIRED))));
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
