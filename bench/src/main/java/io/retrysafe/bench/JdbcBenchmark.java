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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The JDBC store against single statements through a pool, with full durability. {@code single} is
 * what applications do by themselves, {@code bare} the store without the engine.
 */
final class JdbcBenchmark implements Benchmark {
  private static final int FIRST_CALLS = 200_000;
  private static final int HOT_KEYS = 1_000;

  /** A stalled disk shows as time, not as a failure. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Scope SCOPE = Scope.of("merchant_7", "POST", "/payments");

  private final String name;
  private final String description;
  private final List<Integer> callers;
  private final Database database;

  /** Where the rows go. Opened when the first round is. */
  private interface Database {
    /** Returns an empty store. */
    JdbcStore store() throws SQLException, IOException;

    /** Returns where single statements go, if they can. */
    Optional<String> url();
  }

  private JdbcBenchmark(String name, String description, List<Integer> callers, Database database) {
    this.name = name;
    this.description = description;
    this.callers = callers;
    this.database = database;
  }

  static JdbcBenchmark postgres() {
    return new JdbcBenchmark(
        "jdbc",
        "claim and complete on PostgreSQL, " + Postgres.SETTINGS,
        List.of(1, 8, 32, 256, 1024),
        new Server());
  }

  static JdbcBenchmark sqlite() {
    return new JdbcBenchmark(
        "sqlite", "claim and complete on SQLite, full sync", List.of(1, 32, 256), new Sqlite());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public Unit unit() {
    return Unit.MILLISECONDS;
  }

  @Override
  public List<Integer> callers() {
    return callers;
  }

  /** The server is a neighbour that belongs to what is measured. */
  @Override
  public double quiet() {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public List<Comparison> comparisons() {
    return List.of(
        new Comparison("first", FIRST_CALLS, contenders(false)),
        new Comparison("replay", Comparison.UNLIMITED, contenders(true)));
  }

  private List<Contender> contenders(boolean isReplay) {
    Stream<Contender> single =
        database.url().stream()
            .flatMap(
                url ->
                    Stream.of(
                        Contender.baseline(
                            "single",
                            (callers, calls) ->
                                session(new SingleStatements(url, callers), isReplay)),
                        Contender.of(
                            "Spring Integration",
                            (callers, calls) -> session(Peers.springIntegration(url), isReplay)),
                        Contender.of(
                            "Camel, claim only",
                            (callers, calls) -> session(Peers.camel(url), isReplay))));
    Stream<Contender> ours =
        Stream.of(
            Contender.baseline("bare", stored(Way::bare, isReplay)),
            Contender.of("engine", stored(Way::begin, isReplay)));
    return Stream.concat(single, ours).toList();
  }

  private Opening stored(Function<Store, Way> kind, boolean isReplay) {
    return (callers, calls) -> {
      JdbcStore store = database.store();
      Way way = kind.apply(store);
      return session(
          new Way() {
            @Override
            public Object call(OperationKey key) {
              return way.call(key);
            }

            @Override
            public void close() {
              way.close();
              store.close();
            }
          },
          isReplay);
    };
  }

  private static Session session(Way way, boolean isReplay) {
    if (isReplay) {
      for (int i = 0; i < HOT_KEYS; i++) {
        way.call(key(0, i));
      }
    }
    return new Session() {
      @Override
      public Call caller(int number) {
        return isReplay
            ? call -> way.call(key(0, (call + number) % HOT_KEYS))
            : call -> way.call(key(number, call));
      }

      @Override
      public void close() {
        way.close();
      }
    };
  }

  private static OperationKey key(int caller, int call) {
    return OperationKey.of(SCOPE, "order-" + caller + '-' + call);
  }

  @Override
  public List<Goal> goals() {
    if (database.url().isEmpty()) {
      return List.of(
          new Goal(
              "at least 15,000 first calls/s at 32 callers", rows -> atLeast(rows, 32, 15_000)));
    }
    boolean isVirtualCapable = Runtime.version().feature() >= 21;
    return List.of(
        new Goal(
            "at least %s times single at 256 callers".formatted(isVirtualCapable ? "6.5" : "4.5"),
            rows -> ratio(rows, "first", 256, "single", isVirtualCapable ? 6.5 : 4.5)),
        new Goal(
            "at least 9.5 times single at 1024 callers (Java 21 or later)",
            rows -> ratio(rows, "first", 1024, "single", 9.5)),
        new Goal(
            "at least 90 % of bare",
            rows ->
                callers.stream()
                    .flatMap(count -> ratio(rows, "first", count, "bare", 0.9).stream())
                    .toList()),
        new Goal(
            "a lone caller at most 1.1 times the time of single",
            rows -> ratio(rows, "first", 1, "single", 1 / 1.1)),
        new Goal(
            "p99 at 256 callers at most 12 ms",
            rows ->
                row(rows, "first", 256).stream()
                    .map(
                        row ->
                            new Verdict(
                                "%.2f ms".formatted(row.median().p99() / 1e6),
                                row.median().p99() <= 12e6))
                    .toList()),
        new Goal(
            "at least 100,000 replays/s at 256 callers",
            rows ->
                row(rows, "replay", 256).stream().map(row -> perSecond(row, 100_000)).toList()));
  }

  private static List<Verdict> atLeast(List<Row> rows, int callers, double goal) {
    return row(rows, "first", callers).stream().map(row -> perSecond(row, goal)).toList();
  }

  private static Verdict perSecond(Row row, double goal) {
    double reached = row.median().perSecond();
    return new Verdict(String.format(Locale.ROOT, "%.0f/s", reached), reached >= goal);
  }

  private static List<Verdict> ratio(
      List<Row> rows, String work, int callers, String baseline, double goal) {
    return row(rows, work, callers).stream()
        .map(
            row -> {
              double ratio = row.ratios().getOrDefault(baseline, 0.0);
              return new Verdict(
                  String.format(Locale.ROOT, "%.2f times %s, callers %d", ratio, baseline, callers),
                  ratio >= goal);
            })
        .toList();
  }

  private static List<Row> row(List<Row> rows, String work, int callers) {
    return rows.stream()
        .filter(row -> row.work().equals(work) && row.contender().equals("engine"))
        .filter(row -> row.callers() == callers)
        .toList();
  }

  private static final class Server implements Database {
    @Override
    public JdbcStore store() throws SQLException {
      JdbcStore store = Postgres.store(Postgres.url());
      Postgres.empty(Postgres.url(), "retrysafe_entry");
      return store;
    }

    @Override
    public Optional<String> url() {
      return Optional.of(Postgres.url());
    }
  }

  private static final class Sqlite implements Database {
    @Override
    public JdbcStore store() throws IOException {
      Path folder = Path.of("target", "bench");
      Files.createDirectories(folder);
      return JdbcStore.embedded(Files.createTempDirectory(folder, "sqlite").resolve("store.db"))
          .timeout(PATIENCE)
          .build();
    }

    @Override
    public Optional<String> url() {
      return Optional.empty();
    }
  }
}
