// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.bench.Comparison.Call;
import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Session;
import io.retrysafe.store.jdbc.JdbcStore;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** First calls on tables that already hold many settled rows, with keys of both kinds. */
final class GrowthBenchmark implements Benchmark {
  private static final int FIRST_CALLS = 100_000;
  private static final Scope SCOPE = Scope.of("merchant_7", "POST", "/payments");
  private static final List<Integer> THOUSANDS = List.of(100, 1_000, 10_000);

  private final Map<String, String> loaded = new HashMap<>();

  @Override
  public String name() {
    return "growth";
  }

  @Override
  public String description() {
    return "claim and complete on PostgreSQL tables of different sizes, " + Postgres.SETTINGS;
  }

  @Override
  public Unit unit() {
    return Unit.MILLISECONDS;
  }

  @Override
  public List<Integer> callers() {
    return List.of(256);
  }

  @Override
  public double quiet() {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public List<Comparison> comparisons() {
    return List.of(comparison("ordered", true), comparison("random", false));
  }

  private Comparison comparison(String name, boolean isOrdered) {
    List<Contender> sizes =
        THOUSANDS.stream()
            .map(
                thousands ->
                    new Contender(
                        label(thousands),
                        thousands.equals(THOUSANDS.get(0)),
                        (callers, calls) -> open(name + thousands, thousands, isOrdered)))
            .toList();
    return new Comparison(name, FIRST_CALLS, sizes);
  }

  private static String label(int thousands) {
    return String.format(Locale.ROOT, "%.1fM rows", thousands / 1_000.0);
  }

  private Session open(String name, int thousands, boolean isOrdered) throws SQLException {
    String url = loaded.get(name);
    if (url == null) {
      url = Postgres.database(name);
      Postgres.store(url).close();
      load(url, thousands, isOrdered);
      loaded.put(name, url);
    }
    JdbcStore store = Postgres.store(url);
    Way way = Way.begin(store);
    return new Session() {
      @Override
      public Call caller(int number) {
        return call -> way.call(key(isOrdered));
      }

      @Override
      public void close() {
        way.close();
        store.close();
      }
    };
  }

  private static void load(String url, int thousands, boolean isOrdered) throws SQLException {
    String digest = "substr(sha256(i::text::bytea), 1, %d)".formatted(isOrdered ? 18 : 24);
    // Six bytes of time, as in a UUIDv7 of the last hours.
    String time =
        "decode(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - %d + i), 12, '0'), 'hex')"
            .formatted(thousands * 1_000L);
    Postgres.execute(url, "DROP INDEX retrysafe_entry_expires, retrysafe_entry_unsettled");
    SettledRows.insert(
        url,
        thousands * 1_000L,
        isOrdered ? time + " || " + digest : digest,
        "now() + interval '2 days'");
    Postgres.execute(
        url,
        "CREATE INDEX retrysafe_entry_expires ON retrysafe_entry (expires_at) WHERE phase >= 3;"
            + " CREATE INDEX retrysafe_entry_unsettled ON retrysafe_entry (created_at, id)"
            + " WHERE phase + 0 < 3");
    SettledRows.settle(url);
  }

  private static OperationKey key(boolean isOrdered) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    if (!isOrdered) {
      return OperationKey.of(SCOPE, "order-" + new UUID(random.nextLong(), random.nextLong()));
    }
    long time = System.currentTimeMillis() << 16 | 0x7000 | random.nextInt(0x1000);
    long rest = random.nextLong() >>> 2 | Long.MIN_VALUE;
    return OperationKey.of(SCOPE, new UUID(time, rest).toString());
  }

  @Override
  public List<Goal> goals() {
    return List.of(
        new Goal(
            "10 million rows cost at most 1.3 times 0.1 million, time-ordered keys",
            rows ->
                rows.stream()
                    .filter(row -> row.work().equals("ordered"))
                    .filter(row -> row.contender().equals(label(10_000)))
                    .map(row -> cost(row.ratios().getOrDefault(label(100), 0.0)))
                    .toList()));
  }

  private static Verdict cost(double ratio) {
    double cost = 1 / ratio;
    return new Verdict(String.format(Locale.ROOT, "%.2f times the time", cost), cost <= 1.3);
  }
}
