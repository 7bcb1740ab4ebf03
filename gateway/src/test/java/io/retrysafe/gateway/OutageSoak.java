// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.GatewayTests.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Store;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An engine and a gateway under steady load on a real store while that fails for a while. How long
 * is {@code -Dretrysafe.soak}, in seconds for each fault, 2 by default. The store, the engine and
 * the gateway are the same for all faults: each has to leave them as they were.
 *
 * <p>Killed, stalled, read-only and full servers are real, and so is a file that another process
 * has locked, with these exceptions. A full PostgreSQL is a trigger that raises the error of a full
 * disk, because a small disk of its own needs the right to mount one. A full SQLite is a trigger
 * too, because a limit on pages still lets rows into pages that are there. A read-only SQLite is a
 * driver that answers every statement as the real one does: permissions bind neither root nor files
 * that are open already.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutageSoak {
  private static final Duration OUTAGE =
      Duration.ofSeconds(Integer.getInteger("retrysafe.soak", 2));

  /** How late an answer may be on a machine with other things to do. */
  private static final Duration SCHEDULING = Duration.ofSeconds(3);

  /** How many operations show that all is well. */
  private static final int WARM = 50;

  private static final long MORE_MEMORY = 48L << 20;

  /** Each reports for itself: the engine, and the engine inside the gateway. */
  private static final int ENGINES = 2;

  private static final Pattern ANY = Pattern.compile("");

  private static final Pattern GONE =
      Pattern.compile(
          "^the store .* (does not answer|does not answer claims|does not answer completions"
              + "|refuses writes): .");

  private static final Pattern BACK =
      Pattern.compile("^the store .* (answers|accepts writes) again after ");

  private final List<LogRecord> logged = new CopyOnWriteArrayList<>();
  private final Handler listening =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          if (entry.getLevel().intValue() >= Level.INFO.intValue()) {
            logged.add(entry);
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private OutageLoad load;
  private Map<String, Integer> threads = Map.of();
  private long memory;

  /** What happens to the store for a while. */
  interface Step {
    void run() throws Exception;
  }

  /**
   * Something that goes wrong and right again.
   *
   * @param isTotal whether no claim can work meanwhile
   */
  record Fault(String name, Step begin, Step end, boolean isTotal) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Opens the store as another process would. */
  abstract Store open();

  abstract List<Fault> faults();

  /** Ends the servers. */
  abstract void closeServers() throws Exception;

  @BeforeAll
  void start() throws Exception {
    Logger.getLogger("io.retrysafe").addHandler(listening);
    load = new OutageLoad(open(), open(), OUTAGE);
    load.start();
    until(() -> load.done() > WARM);
    threads = threads();
    memory = memory();
    load.stop();
  }

  @AfterAll
  void end() throws Exception {
    Logger.getLogger("io.retrysafe").removeHandler(listening);
    try {
      until(() -> isWithin(threads(), threads));
      until(() -> memory() < memory + MORE_MEMORY);
    } finally {
      load.close();
      closeServers();
    }
  }

  @ParameterizedTest
  @MethodSource("faults")
  void operationsKeepTheirOutcomes(Fault fault) throws Exception {
    load.start();
    until(() -> load.done() > WARM);
    until(this::isReady);
    logged.clear();
    load.slowestRefusal();
    int refused = load.unavailable();
    int done = load.done();

    fault.begin().run();
    try {
      sleep(OUTAGE.dividedBy(10).multipliedBy(9));
      if (fault.isTotal()) {
        assertThat(isReady()).as("ready in an outage").isFalse();
      }
      sleep(OUTAGE.dividedBy(10));
    } finally {
      fault.end().run();
    }

    until(this::isReady);
    assertThat(load.done()).as("operations that finished meanwhile").isGreaterThan(done);
    if (fault.isTotal()) {
      assertThat(load.unavailable()).as("refused calls").isGreaterThan(refused);
    }
    Duration slowest = load.slowestRefusal();
    int back = load.done() + WARM;
    until(() -> load.done() > back);
    if (fault.isTotal()) {
      until(() -> lines(BACK).size() >= ENGINES);
    }
    load.stop();
    load.check(Duration.ofSeconds(60));

    assertThat(slowest)
        .as("the slowest refusal")
        .isLessThan(OutageLoad.DEADLINE.multipliedBy(11).dividedBy(10).plus(SCHEDULING));
    if (fault.isTotal()) {
      assertThat(lines(GONE)).as("the store is gone, of %s", lines(ANY)).hasSize(ENGINES);
    }
    assertThat(lines(BACK)).as("the store is back, of %s", lines(ANY)).hasSameSizeAs(lines(GONE));
    until(() -> load.gateway().runningOperations() == 0);
  }

  private static void sleep(Duration time) throws InterruptedException {
    Thread.sleep(time.toMillis());
  }

  private boolean isReady() throws IOException {
    int port = load.gateway().adminAddress().getPort();
    return Wire.call(port, Wire.get("/health/ready", "")).status() == 200;
  }

  /** Returns what was logged since the fault began, as far as it fits. */
  private List<String> lines(Pattern pattern) {
    SimpleFormatter formatter = new SimpleFormatter();
    return logged.stream()
        .map(formatter::formatMessage)
        .filter(line -> pattern.matcher(line).find())
        .toList();
  }

  /** Returns how many of our threads there are, by name without numbers. */
  private static Map<String, Integer> threads() {
    Map<String, Integer> count = new TreeMap<>();
    Thread.getAllStackTraces().keySet().stream()
        .map(thread -> thread.getName().replaceAll("[0-9]+", "#"))
        .filter(name -> name.startsWith("retrysafe") || name.startsWith("vert.x"))
        .forEach(name -> count.merge(name, 1, Integer::sum));
    return count;
  }

  private static boolean isWithin(Map<String, Integer> now, Map<String, Integer> before) {
    // Pools shrink when nothing is to be done; those that do not are of a few threads each.
    return now.entrySet().stream()
        .allMatch(each -> each.getValue() <= before.getOrDefault(each.getKey(), 0) + 16);
  }

  private static long memory() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
