// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.bench.Comparison.Call;
import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Opening;
import io.retrysafe.bench.Comparison.Session;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** What the engine adds to the store's own time, on the store that takes the least of it. */
final class EngineBenchmark implements Benchmark {
  private static final double GOAL_NANOS = 2_000;
  private static final double GOAL_BYTES = 1_024;
  private static final int FIRST_CALLS = 300_000;
  private static final int HOT_KEYS = 1_000;

  @Override
  public String name() {
    return "engine";
  }

  @Override
  public String description() {
    return "the engine against the bare memory store, claim and complete with the same arguments";
  }

  @Override
  public Unit unit() {
    return Unit.MICROSECONDS;
  }

  @Override
  public List<Integer> callers() {
    return List.of(1, 2);
  }

  @Override
  public List<Comparison> comparisons() {
    return List.of(
        comparison("first", FIRST_CALLS, EngineBenchmark::firstCalls),
        comparison("replay", Comparison.UNLIMITED, EngineBenchmark::replays));
  }

  private static Comparison comparison(
      String work, int calls, Function<Function<Store, Way>, Opening> opening) {
    return new Comparison(
        work,
        calls,
        List.of(
            Contender.baseline("store", opening.apply(Way::bare)),
            Contender.of("begin", opening.apply(Way::begin)),
            Contender.of("run", opening.apply(Way::run))));
  }

  /** Every call has a key of its own, made beforehand. */
  private static Opening firstCalls(Function<Store, Way> kind) {
    return (callers, calls) -> {
      OperationKey[][] keys = new OperationKey[callers][];
      for (int i = 0; i < callers; i++) {
        keys[i] = keys(i, calls);
      }
      Way way = kind.apply(MemoryStore.create());
      return session(way, caller -> call -> way.call(keys[caller][call]));
    };
  }

  /** All callers ask for the same few keys, which are settled beforehand. */
  private static Opening replays(Function<Store, Way> kind) {
    return (callers, calls) -> {
      OperationKey[] keys = keys(0, HOT_KEYS);
      Way way = kind.apply(MemoryStore.create());
      for (OperationKey key : keys) {
        way.call(key);
      }
      return session(way, caller -> call -> way.call(keys[(call + caller) % HOT_KEYS]));
    };
  }

  private static OperationKey[] keys(int caller, int count) {
    OperationKey[] keys = new OperationKey[count];
    Scope scope = Scope.of("merchant_7", "POST", "/payments");
    for (int i = 0; i < count; i++) {
      keys[i] = OperationKey.of(scope, "order-" + caller + '-' + i);
    }
    return keys;
  }

  private static Session session(Way way, Function<Integer, Call> callers) {
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

  @Override
  public List<Goal> goals() {
    return List.of(
        new Goal(
            "at most 2 us (mean) and 1 KiB a first call beyond the store's own",
            EngineBenchmark::judge));
  }

  private static List<Verdict> judge(List<Row> rows) {
    return rows.stream()
        .filter(row -> row.work().equals("first") && !row.contender().equals("store"))
        .map(row -> verdict(row, baseline(rows, row)))
        .toList();
  }

  private static Row baseline(List<Row> rows, Row row) {
    return rows.stream()
        .filter(each -> each.work().equals(row.work()) && each.callers() == row.callers())
        .filter(each -> each.contender().equals("store"))
        .findFirst()
        .orElseThrow();
  }

  private static Verdict verdict(Row row, Row store) {
    double nanos = row.median().mean() - store.median().mean();
    double bytes = row.median().bytes() - store.median().bytes();
    boolean isCounted = row.median().bytes() >= 0;
    String measured =
        String.format(
            Locale.ROOT,
            "%.2f us (of processor time %.2f) and %s  %s, callers %d",
            nanos / 1e3,
            (row.median().cpu() - store.median().cpu()) / 1e3,
            isCounted ? "%.0f B".formatted(bytes) : "an unknown number of bytes",
            row.name(),
            row.callers());
    return new Verdict(measured, nanos <= GOAL_NANOS && isCounted && bytes <= GOAL_BYTES);
  }
}
