// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import com.sun.management.ThreadMXBean;
import io.retrysafe.bench.Comparison.Call;
import io.retrysafe.bench.Comparison.Session;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The load of one round: its callers, started together. */
final class Load {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Load() {}

  /**
   * Runs the callers until each has made its share of {@code calls} or the time is up.
   *
   * @param calls how many calls each caller makes at most
   */
  static Round run(Session session, int callers, int calls, Plan plan, Machine machine)
      throws Exception {
    CountDownLatch ready = new CountDownLatch(callers);
    CountDownLatch start = new CountDownLatch(1);
    List<Caller> all = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      Caller caller = new Caller(session.caller(i), plan, calls, ready, start);
      all.add(caller);
      threads.add(CallerThreads.start(caller, plan.isVirtual()));
    }
    ready.await();
    machine.neighbours();
    long began = System.nanoTime();
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    long took = System.nanoTime() - began;
    return figures(all, took, machine.neighbours());
  }

  private static Round figures(List<Caller> callers, long took, double neighbours)
      throws Exception {
    Histogram times = new Histogram();
    double cpu = 0;
    double bytes = 0;
    for (Caller caller : callers) {
      if (caller.failure != null) {
        throw caller.failure;
      }
      if (caller.last == null) {
        throw new IllegalStateException("a caller made no call; the plan has too few for so many");
      }
      times.add(caller.times);
      cpu += caller.cpu;
      bytes += caller.bytes;
    }
    return new Round(
        times.count() * 1e9 / took,
        times.mean(),
        times.percentile(0.50),
        times.percentile(0.99),
        cpu / times.count(),
        bytes / times.count(),
        neighbours);
  }

  /** A caller in its loop. Its fields are read after it ended. */
  private static final class Caller implements Runnable {
    final Histogram times = new Histogram();
    long cpu = -1;
    long bytes = -1;
    @Nullable Exception failure;
    @Nullable Object last;

    private final Call call;
    private final Plan plan;
    private final int calls;
    private final CountDownLatch ready;
    private final CountDownLatch start;

    Caller(Call call, Plan plan, int calls, CountDownLatch ready, CountDownLatch start) {
      this.call = call;
      this.plan = plan;
      this.calls = calls;
      this.ready = ready;
      this.start = start;
    }

    @Override
    public void run() {
      ready.countDown();
      try {
        start.await();
        if (plan.isVirtual()) {
          // The JVM counts for platform threads only.
          loop();
        } else {
          long cpuBefore = THREADS.getCurrentThreadCpuTime();
          long bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
          loop();
          bytes = THREADS.getCurrentThreadAllocatedBytes() - bytesBefore;
          cpu = THREADS.getCurrentThreadCpuTime() - cpuBefore;
        }
      } catch (Exception e) {
        failure = e;
      }
    }

    private void loop() throws Exception {
      long began = System.nanoTime();
      long longest = plan.longest().toNanos();
      long now = began;
      for (int i = 0; i < calls && now - began < longest; i++) {
        long before = System.nanoTime();
        last = call.make(i);
        now = System.nanoTime();
        times.record(now - before);
      }
    }
  }
}
