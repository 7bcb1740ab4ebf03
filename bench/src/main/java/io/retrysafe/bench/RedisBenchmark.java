// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.bench.Comparison.Call;
import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Opening;
import io.retrysafe.bench.Comparison.Session;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.layered.LayeredStore;
import io.retrysafe.store.layered.MemoryCopies;
import io.retrysafe.store.redis.RedisCopies;
import io.retrysafe.store.redis.RedisStore;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * The Redis store through the engine against the least that Lettuce can do, with every setting of
 * the append-only file; and replays from near copies against reads from PostgreSQL.
 */
final class RedisBenchmark implements Benchmark {
  private static final int FIRST_CALLS = 200_000;
  private static final int HOT_KEYS = 1_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Scope SCOPE = Scope.of("merchant_7", "POST", "/payments");
  private static final byte[] SECRET = new byte[32];

  private final Map<Aof, RedisServer> servers = new EnumMap<>(Aof.class);

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public String description() {
    return "claim and complete on Redis, one connection; near copies before PostgreSQL";
  }

  @Override
  public Unit unit() {
    return Unit.MILLISECONDS;
  }

  @Override
  public List<Integer> callers() {
    return List.of(1, 32, 256, 1024);
  }

  /** The servers are neighbours that belong to what is measured. */
  @Override
  public double quiet() {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public List<Comparison> comparisons() {
    List<Comparison> all = new ArrayList<>();
    for (Aof aof : Aof.values()) {
      all.add(
          new Comparison(
              "first-aof-" + aof.name().toLowerCase(Locale.ROOT),
              FIRST_CALLS,
              List.of(
                  Contender.baseline("lettuce", firsts(() -> lettuce(aof))),
                  Contender.of("engine", firsts(() -> redis(aof))),
                  Contender.baseline("spring-metadata", firsts(() -> springMetadata(aof))))));
    }
    all.add(
        new Comparison(
            "replay",
            Comparison.UNLIMITED,
            List.of(
                Contender.baseline("select", replays(this::select)),
                Contender.of("postgres", replays(this::postgresStore)),
                Contender.baseline("lettuce-get", replays(this::lettuceGet)),
                Contender.baseline("spring-metadata", replays(() -> springMetadata(Aof.OFF))),
                Contender.of("redis", replays(() -> redis(Aof.OFF))),
                Contender.of("near-redis", replays(this::nearRedis)),
                Contender.of("near-memory", replays(this::nearMemory)))));
    return all;
  }

  /** Makes a way on empty servers. */
  private interface Making {
    Way make() throws Exception;
  }

  private static Opening firsts(Making making) {
    return (callers, calls) -> {
      Way way = making.make();
      return session(way, number -> call -> way.call(key(number, call)));
    };
  }

  /** All callers ask for the same few keys, which are settled and were asked for once. */
  private static Opening replays(Making making) {
    return (callers, calls) -> {
      Way way = making.make();
      for (int i = 0; i < 2 * HOT_KEYS; i++) {
        way.call(key(0, i % HOT_KEYS));
      }
      return session(way, number -> call -> way.call(key(0, (call + number) % HOT_KEYS)));
    };
  }

  private static Session session(Way way, IntFunction<Call> callers) {
    return new Session() {
      @Override
      public Call caller(int number) {
        return callers.apply(number);
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

  private RedisServer emptied(Aof aof) {
    RedisServer server = servers.computeIfAbsent(aof, RedisServer::start);
    server.tell("FLUSHALL", "SYNC");
    return server;
  }

  private Way lettuce(Aof aof) {
    return new BareLettuce(emptied(aof).url());
  }

  /** One read for a retry and nothing else, as bare as Redis has it. */
  private Way lettuceGet() {
    BareLettuce lettuce = new BareLettuce(emptied(Aof.OFF).url());
    for (int i = 0; i < HOT_KEYS; i++) {
      lettuce.call(key(0, i));
    }
    return closing(lettuce::read, lettuce::close);
  }

  private Way springMetadata(Aof aof) {
    return new SpringMetadata(emptied(aof).port());
  }

  private Way redis(Aof aof) {
    RedisStore store = RedisStore.builder(emptied(aof).url()).timeout(PATIENCE).build();
    return closing(Way.begin(store), store::close);
  }

  private Way nearRedis() throws Exception {
    RedisCopies copies = RedisCopies.builder(emptied(Aof.OFF).url()).timeout(PATIENCE).build();
    JdbcStore record = record();
    LayeredStore store = LayeredStore.builder(record, copies).secret(SECRET).build();
    return closing(Way.begin(store), store::close, record::close);
  }

  private Way nearMemory() throws Exception {
    JdbcStore record = record();
    LayeredStore store = LayeredStore.create(record, MemoryCopies.create(64 << 20));
    return closing(Way.begin(store), store::close, record::close);
  }

  private Way postgresStore() throws Exception {
    JdbcStore record = record();
    return closing(Way.begin(record), record::close);
  }

  /** One read for a retry and nothing else: not even a claim. */
  private Way select() throws Exception {
    SingleStatements single = new SingleStatements(Postgres.url(), 32);
    for (int i = 0; i < HOT_KEYS; i++) {
      single.call(key(0, i));
    }
    return closing(single::read, single::close);
  }

  private static JdbcStore record() {
    return Postgres.store(Postgres.url());
  }

  private static Way closing(Way way, Runnable... ends) {
    return new Way() {
      @Override
      public Object call(OperationKey key) {
        return way.call(key);
      }

      @Override
      public void close() {
        way.close();
        for (Runnable end : ends) {
          end.run();
        }
      }
    };
  }

  @Override
  public List<Goal> goals() {
    return List.of(
        new Goal("at least 75 % of bare Lettuce", rows -> ratios(rows, "engine", "lettuce", 0.75)),
        new Goal(
            "replays from near copies at least 3 times single reads of PostgreSQL",
            rows ->
                Stream.of("near-redis", "near-memory")
                    .flatMap(near -> ratios(rows, near, "select", 3).stream())
                    .toList()),
        new Goal(
            "ahead of Spring Integration's RedisMetadataStore, which records neither owner nor"
                + " fingerprint nor lease nor expiry",
            rows -> ratios(rows, "engine", "spring-metadata", 1)));
  }

  private static List<Verdict> ratios(
      List<Row> rows, String contender, String baseline, double goal) {
    return rows.stream()
        .filter(row -> row.contender().equals(contender))
        .map(
            row -> {
              double ratio = row.ratios().getOrDefault(baseline, 0.0);
              String measured =
                  String.format(
                      Locale.ROOT,
                      "%.2f times %s  %s, callers %d",
                      ratio,
                      baseline,
                      row.name(),
                      row.callers());
              return new Verdict(measured, ratio >= goal);
            })
        .toList();
  }
}
