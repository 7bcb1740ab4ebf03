// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.testing.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The gateway, a process for each store, against nginx as a plain proxy before the same upstream,
 * loaded by wrk. All cases take turns, as with the other benchmarks.
 */
final class GatewayBenchmark implements Benchmark {
  private static final int HOT_KEYS = 1_000;
  private static final int ANSWER = 1024;
  private static final Set<String> IN_MEMORY = Set.of("memory", "redis");
  private static final List<Integer> CONNECTIONS = List.of(64, 256);
  private static final Duration START_WITHIN = Duration.ofMinutes(2);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Map<String, GatewayProcess> gateways = new HashMap<>();

  /** A case: where the load goes and what it is. */
  private record Case(String work, String contender, String url, Script script) {}

  /** Lua for a round. */
  private interface Script {
    String lua(boolean isWarmUp);
  }

  /** A case with a number of connections, and what it showed so far. */
  private record Lane(Case what, int connections, List<Round> rounds) {}

  @Override
  public String name() {
    return "gateway";
  }

  @Override
  public String description() {
    return "the gateway against nginx as a plain proxy, before an nginx that answers 1 KiB at once;"
        + " PostgreSQL with "
        + Postgres.SETTINGS;
  }

  @Override
  public Unit unit() {
    return Unit.MILLISECONDS;
  }

  @Override
  public List<Integer> callers() {
    return CONNECTIONS;
  }

  @Override
  public List<Comparison> comparisons() {
    return List.of();
  }

  @Override
  public String describe(Plan plan) {
    return ("each gateway is ./retrysafe gateway in a process of its own, in such a JVM\n"
            + "%d rounds of %d s by wrk -t1 after %d of twice that to warm up, taking turns; medians of rounds")
        .formatted(plan.rounds(), seconds(plan).toSeconds(), plan.warmUps());
  }

  private static Duration seconds(Plan plan) {
    return plan.longest().compareTo(Duration.ofSeconds(1)) < 0
        ? Duration.ofSeconds(1)
        : plan.longest().multipliedBy(2);
  }

  @Override
  public List<Row> measure(Plan plan, Consumer<String> progress) throws Exception {
    Path folder = Files.createDirectories(Path.of("target", "bench"));
    Path own = Files.createTempDirectory(folder, "gateway");
    try {
      Wrk wrk = new Wrk(own);
      List<Lane> lanes = new ArrayList<>();
      for (Case each : cases(own)) {
        CONNECTIONS.forEach(count -> lanes.add(new Lane(each, count, new ArrayList<>())));
      }
      int all = plan.warmUps() + plan.rounds();
      for (int i = 0; i < all; i++) {
        for (int j = 0; j < lanes.size(); j++) {
          Lane lane = lanes.get((i + j) % lanes.size());
          progress.accept(
              "round %d of %d: %s/%s %d"
                  .formatted(i + 1, all, lane.what.work, lane.what.contender, lane.connections));
          String lua = lane.what.script.lua(i == 0);
          boolean isWarm = i >= plan.warmUps();
          Duration window = isWarm ? seconds(plan) : seconds(plan).multipliedBy(2);
          Round round = load(wrk, lane, window, lua);
          if (isWarm) {
            lane.rounds.add(round);
          }
        }
      }
      return rows(lanes);
    } finally {
      while (!opened.isEmpty()) {
        opened.pop().close();
      }
    }
  }

  private Round load(Wrk wrk, Lane lane, Duration window, String lua) throws Exception {
    if (lane.what.contender.equals("postgresql")) {
      // As in jdbc and history; what many rows cost is shown by growth.
      Postgres.empty(Postgres.url(), "retrysafe_entry, retrysafe_event");
    }
    try {
      return wrk.load(lane.what.url, lane.connections, window, lua);
    } catch (IOException e) {
      GatewayProcess gateway = gateways.get(lane.what.url);
      throw gateway == null ? e : new IOException(gateway.lastWords(), e);
    }
  }

  private <T extends AutoCloseable> T opened(T what) {
    opened.push(what);
    return what;
  }

  private List<Case> cases(Path folder) throws Exception {
    Nginx nginx = opened(new Nginx(folder, ANSWER));
    Script get = isWarmUp -> "";
    List<Case> cases = new ArrayList<>();
    cases.add(new Case("pass", "direct", nginx.upstreamUrl(), get));
    cases.add(new Case("pass", "nginx", nginx.proxyUrl(), get));
    for (Map.Entry<String, String> store : stores(folder).entrySet()) {
      String name = store.getKey();
      String url = gateway(name, nginx.upstreamUrl(), store.getValue(), folder);
      if (name.equals("memory")) {
        cases.add(new Case("pass", "gateway", url, get));
      }
      cases.add(new Case("first", name, url, isWarmUp -> unique()));
      if (name.equals("postgresql")) {
        cases.add(new Case("ordered first", name, url, isWarmUp -> ordered()));
      }
      String prefix = UUID.randomUUID().toString();
      cases.add(new Case("replay", name, url, isWarmUp -> hot(prefix)));
    }
    return cases;
  }

  /** Returns the addresses of stores that are ready to be used. */
  private Map<String, String> stores(Path folder) {
    Map<String, String> stores = new LinkedHashMap<>();
    stores.put("memory", "memory:");
    stores.put("sqlite", "sqlite:" + folder.resolve("store.db").toAbsolutePath());
    // A gateway makes no tables in a database.
    Postgres.store(Postgres.url()).close();
    stores.put("postgresql", Postgres.url());
    stores.put("redis", opened(RedisServer.start()).url());
    return stores;
  }

  private String gateway(String name, String upstream, String store, Path folder) throws Exception {
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put("upstream", upstream);
    flags.put("store", store);
    flags.put("listen", "127.0.0.1:0");
    flags.put("admin", "127.0.0.1:0");
    if (IN_MEMORY.contains(name)) {
      // So that a run of any length fits. Elsewhere nothing is removed within a run, as usual.
      flags.put("retention", "1m");
    }
    // A stalled disk shows as time, not as a failure.
    flags.put("store-deadline", "30s");
    GatewayProcess gateway = opened(GatewayProcess.start(name, flags, folder, START_WITHIN));
    gateways.put(gateway.url(), gateway);
    return gateway.url();
  }

  /** Returns Lua that makes POSTs with a new key each. */
  static String unique() {
    return lua("", "'%s-' .. n".formatted(UUID.randomUUID()));
  }

  /** Returns Lua that makes POSTs with a new UUIDv7 each, ten in a millisecond. */
  private static String ordered() {
    long now = System.currentTimeMillis();
    return lua(
        "math.randomseed(%d)".formatted(now),
        """
        string.format("%%08x-%%04x-7%%03x-8%%03x-%%06x%%06x",
              math.floor((%1$d + n / 10) / 65536), math.floor(%1$d + n / 10) %% 65536, n %% 4096,
              math.random(0, 4095), math.random(0, 16777215), math.random(0, 16777215))"""
            .formatted(now));
  }

  private static String hot(String prefix) {
    return lua("", "'%s-' .. n %% %d".formatted(prefix, HOT_KEYS));
  }

  /**
   * Returns Lua that makes POSTs with the key that an expression of {@code n}, the number of the
   * call, gives.
   */
  private static String lua(String start, String key) {
    // Put together once: wrk would otherwise spend more on a POST than on a GET that it repeats.
    return """
    local n = 0
    local head, tail
    function init(args)
      %s
      local body = '{"amount":2500,"currency":"EUR","order":"%s"}'
      local headers = {["Idempotency-Key"] = "@", ["Content-Type"] = "application/json"}
      local whole = wrk.format("POST", "/payments", headers, body)
      local at = whole:find("@", 1, true)
      head, tail = whole:sub(1, at - 1), whole:sub(at + 1)
    end
    request = function()
      n = n + 1
      return head .. %s .. tail
    end
    """
        .formatted(start, "x".repeat(1000), key);
  }

  private static List<Row> rows(List<Lane> lanes) {
    List<Row> rows = new ArrayList<>();
    for (Lane lane : lanes) {
      Round median = Round.median(lane.rounds);
      Map<String, Double> ratios = new LinkedHashMap<>();
      for (String baseline : List.of("nginx", "gateway")) {
        double other = rate(lanes, baseline, lane.connections);
        ratios.put(baseline.equals("gateway") ? "pass" : baseline, median.perSecond() / other);
      }
      rows.add(
          new Row(
              lane.what.work,
              lane.what.contender,
              lane.connections,
              median,
              lane.rounds.stream().mapToDouble(Round::perSecond).min().orElse(0),
              lane.rounds.stream().mapToDouble(Round::perSecond).max().orElse(0),
              ratios));
    }
    return rows;
  }

  private static double rate(List<Lane> lanes, String contender, int connections) {
    return lanes.stream()
        .filter(lane -> lane.what.work.equals("pass") && lane.what.contender.equals(contender))
        .filter(lane -> lane.connections == connections)
        .mapToDouble(lane -> Round.median(lane.rounds).perSecond())
        .findFirst()
        .orElseThrow();
  }

  @Override
  public List<Goal> goals() {
    return List.of(
        goal("passing at least 65 % of nginx", "pass", "gateway", "nginx", 0.65, CONNECTIONS),
        goal(
            "replays from memory at least 70 % of passing",
            "replay", "memory", "pass", 0.70, CONNECTIONS),
        goal(
            "first calls on PostgreSQL at least 35 % of passing at 256 connections",
            "first", "postgresql", "pass", 0.35, List.of(256)),
        goal(
            "the same with keys in the order of their time",
            "ordered first",
            "postgresql",
            "pass",
            0.35,
            List.of(256)));
  }

  private static Goal goal(
      String text,
      String work,
      String contender,
      String baseline,
      double least,
      List<Integer> connections) {
    return new Goal(
        text,
        rows ->
            rows.stream()
                .filter(row -> row.name().equals(work + "/" + contender))
                .filter(row -> connections.contains(row.callers()))
                .map(
                    row -> {
                      double ratio = row.ratios().getOrDefault(baseline, 0.0);
                      return new Verdict(
                          "%.2f of %s, %d connections".formatted(ratio, baseline, row.callers()),
                          ratio >= least);
                    })
                .toList());
  }
}
