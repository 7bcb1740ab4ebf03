// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.bench.Benchmark.Goal;
import io.retrysafe.bench.Benchmark.Verdict;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bench/run}: runs one benchmark and prints its table. */
@Command(
    name = "bench/run",
    description = "Runs a benchmark and prints its table.",
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true)
final class Main implements Callable<Integer> {
  private static final List<Benchmark> BENCHMARKS =
      List.of(
          new EngineBenchmark(),
          JdbcBenchmark.postgres(),
          JdbcBenchmark.sqlite(),
          new GrowthBenchmark(),
          new RetentionBenchmark(),
          new RedisBenchmark(),
          new HistoryBenchmark(),
          new SpringBenchmark(),
          new GatewayBenchmark(),
          new GatewayMemoryBenchmark());

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      description =
          "Which benchmark: engine, jdbc, sqlite, growth, retention, redis, history, spring, gateway,"
              + " gateway-memory.")
  private String name;

  @Option(names = "--quick", description = "Few short rounds, for a first look; do not quote them.")
  private boolean quick;

  @Option(names = "--json", description = "One JSON object a row instead of the table.")
  private boolean json;

  @Option(names = "--virtual", description = "Callers are virtual threads (Java 21 or later).")
  private boolean isVirtual;

  @Option(
      names = "--callers",
      paramLabel = "N",
      split = ",",
      description = "Only with these numbers of callers, of those that the benchmark has.")
  private List<Integer> callers = List.of();

  @Option(names = "--rounds", paramLabel = "N", description = "How many rounds count.")
  private int rounds;

  private Main() {}

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main());
  }

  @Override
  public Integer call() throws Exception {
    Benchmark benchmark =
        BENCHMARKS.stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow(() -> wrong("there is no benchmark " + name + "; there is: " + names()));
    if (isVirtual && Runtime.version().feature() < 21) {
      throw wrong("virtual threads need Java 21, this is Java " + Runtime.version().feature());
    }
    Plan plan = quick ? Plan.quick(isVirtual) : Plan.full(isVirtual);
    if (rounds > 0) {
      plan = plan.rounds(rounds);
    }
    Progress progress = new Progress(Boolean.getBoolean("retrysafe.progress"));
    Driver driver = new Driver(plan, progress::show);
    List<Row> own = benchmark.measure(plan, progress::show);
    List<Row> rows = own.isEmpty() ? driver.measure(benchmark, callers) : own;
    progress.end();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      rows.forEach(row -> out.println(Table.json(row)));
    } else {
      print(out, benchmark, plan, rows);
      if (own.isEmpty()) {
        out.println();
        out.println(disturbances(benchmark, driver.disturbed(), rows.size() * plan.rounds()));
      }
    }
    out.flush();
    return 0;
  }

  private static String disturbances(Benchmark benchmark, int disturbed, int rounds) {
    return Double.isInfinite(benchmark.quiet())
        ? "Servers belong to what is measured, so neighbours were not told apart from them."
        : "%d of %d rounds were disturbed by other processes even when run three times."
            .formatted(disturbed, rounds);
  }

  private static String names() {
    return BENCHMARKS.stream().map(Benchmark::name).collect(Collectors.joining(", "));
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private static void print(PrintWriter out, Benchmark benchmark, Plan plan, List<Row> rows) {
    out.println(benchmark.name() + ": " + benchmark.description());
    out.println(Machine.describe());
    out.println(benchmark.describe(plan));
    out.println();
    out.print(Table.text(rows, benchmark.unit()));
    for (Goal goal : benchmark.goals()) {
      out.println();
      out.println("goal: " + goal.text());
      for (Verdict verdict : goal.judge().apply(rows)) {
        out.println((verdict.isMet() ? "  met      " : "  not met  ") + verdict.measured());
      }
    }
  }
}
