// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.gateway.Gateway;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.store.jdbc.JdbcStore;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Whether the gateway's memory stays flat while every request brings a key of its own. */
final class GatewayMemoryBenchmark implements Benchmark {
  private static final int SLICES = 10;
  private static final int CONNECTIONS = 64;
  private static final double MOST_GROWTH = 1.2;

  private final List<Long> heaps = new ArrayList<>();
  private final List<Long> files = new ArrayList<>();

  @Override
  public String name() {
    return "gateway-memory";
  }

  @Override
  public String description() {
    return "the gateway on SQLite under unique keys, answers kept for a minute";
  }

  @Override
  public Unit unit() {
    return Unit.MILLISECONDS;
  }

  @Override
  public List<Integer> callers() {
    return List.of(CONNECTIONS);
  }

  @Override
  public List<Comparison> comparisons() {
    return List.of();
  }

  @Override
  public String describe(Plan plan) {
    return "%d slices of %d s by wrk -t1".formatted(SLICES, slice(plan).toSeconds());
  }

  private static Duration slice(Plan plan) {
    boolean isQuick = plan.longest().compareTo(Duration.ofSeconds(1)) < 0;
    return isQuick ? Duration.ofSeconds(2) : Duration.ofMinutes(1);
  }

  @Override
  public List<Row> measure(Plan plan, Consumer<String> progress) throws Exception {
    Path folder = Files.createDirectories(Path.of("target", "bench"));
    Path own = Files.createTempDirectory(folder, "gateway");
    Wrk wrk = new Wrk(own);
    List<Row> rows = new ArrayList<>();
    try (Nginx nginx = new Nginx(own, 1024);
        JdbcStore store = JdbcStore.embedded(own.resolve("store.db")).build();
        Gateway gateway = Gateway.start(config(nginx), store)) {
      String url = "http://127.0.0.1:" + gateway.address().getPort();
      for (int i = 1; i <= SLICES; i++) {
        progress.accept("slice " + i + " of " + SLICES);
        Round round = wrk.load(url, CONNECTIONS, slice(plan), GatewayBenchmark.unique());
        rows.add(
            new Row(
                "unique",
                "slice-" + i,
                CONNECTIONS,
                round,
                round.perSecond(),
                round.perSecond(),
                Map.of()));
        heaps.add(heap());
        files.add(Files.size(own.resolve("store.db")));
      }
    }
    return rows;
  }

  private static GatewayConfig config(Nginx nginx) {
    GatewayConfig.Builder config =
        GatewayConfig.builder(URI.create(nginx.upstreamUrl()))
            .listen(Listen.parse("127.0.0.1:0"))
            .admin(Listen.parse("127.0.0.1:0"));
    return config.policy(config.policy().retention(Duration.ofMinutes(1))).build();
  }

  /** Returns what is in use after a collection. */
  private static long heap() {
    System.gc();
    Runtime jvm = Runtime.getRuntime();
    return jvm.totalMemory() - jvm.freeMemory();
  }

  @Override
  public List<Goal> goals() {
    return List.of(
        new Goal(
            "heap after a collection stays flat from the second slice on (grows by less than 20 %)",
            rows -> List.of(flat(heaps, 2))),
        new Goal(
            "the file of the store stays flat from the third slice on (grows by less than 20 %)",
            rows -> List.of(flat(files, 3))));
  }

  private static Verdict flat(List<Long> bytes, int from) {
    double growth = bytes.get(bytes.size() - 1) / (double) bytes.get(from - 1);
    List<Long> mebibytes = bytes.stream().map(each -> each / (1024 * 1024)).toList();
    return new Verdict(
        "%.2f times; MiB after each slice: %s".formatted(growth, mebibytes), growth < MOST_GROWTH);
  }
}
