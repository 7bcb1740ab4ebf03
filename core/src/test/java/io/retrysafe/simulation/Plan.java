// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What is done and what goes wrong in one history. Times in milliseconds.
 *
 * @param seed what everything that is not written down here is drawn from
 * @param settings the policy and the world
 * @param calling how the callers use the engine
 * @param tries who calls what, when and where
 * @param faults what befalls the processes
 */
record Plan(long seed, Settings settings, Calling calling, List<Try> tries, List<Fault> faults) {
  static final int LEASE = 3_000;
  static final int STORE_DEADLINE = 1_000;
  // Shorter than a lease, as engines need it: see docs/decisions/0003.
  static final int CALL_TIMEOUT = 2_500;
  static final int FAULTS_UNTIL = 25_000;
  static final long ROOM_FOR_ALL = 1 << 20;

  /** How the callers use the engine. */
  enum Calling {
    /** With a thread for each call. */
    THREAD,
    /** From an event loop, on a store with a queue. */
    QUEUE,
    /** From an event loop, on a store that blocks. */
    OFFLOAD
  }

  /** What a lapsed lease means. */
  enum Recovering {
    PARK,
    RERUN,
    RECONCILE
  }

  /**
   * The policy and the world.
   *
   * @param attempts how many attempts there are where it is run again
   * @param noise how many of 1,000 calls to the store go wrong
   * @param upstreamNoise how many of 1,000 calls to the upstream go wrong
   * @param hasOperator whether an operator resolves what is unknown
   * @param hasRecoverer whether every engine recovers in the background
   * @param waiters how many may wait in an engine
   * @param pendingMemory how much an engine may keep that a silent store has not recorded
   */
  record Settings(
      Recovering recovering,
      int attempts,
      Failures failures,
      boolean isSaga,
      boolean isUpstreamIdempotent,
      int waitUpTo,
      int retention,
      int unsettledRetention,
      int maxRunning,
      int rerunWithin,
      int noise,
      int upstreamNoise,
      int slots,
      boolean hasOperator,
      boolean hasRecoverer,
      int waiters,
      long pendingMemory) {}

  /** What the work of a try does. */
  enum Act {
    CHARGE,
    REFUSE,
    THROW_EARLY,
    THROW_LATE,
    WRAP,
    LARGE
  }

  /**
   * A call.
   *
   * @param body which request it is; another one under the same key is a mismatch
   * @param before how long the work takes before its effect
   * @param after how long the work takes after its effect
   * @param patience after how long its client is gone, if it waits
   */
  record Try(
      int number,
      int at,
      int slot,
      String account,
      String key,
      int body,
      Act act,
      int before,
      int after,
      int patience) {}

  /** What can befall a process. */
  enum Trouble {
    CRASH,
    PAUSE,
    OUTAGE,
    JUMP,
    CLOSE
  }

  /** Where in a call to the outside it happens. */
  enum Moment {
    BEFORE,
    APPLIED,
    AFTER
  }

  /** A trouble of the process at {@code slot} in its {@code call}th call to the outside. */
  record Fault(Trouble trouble, int slot, int call, Moment moment, int length) {}

  static Plan of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Settings settings = settings(random, pendingMemory(seed));
    List<Try> tries = new ArrayList<>();
    int count = 2 + random.nextInt(6);
    int keys = 1 + random.nextInt(2);
    int accounts = one(random, 4) ? 2 : 1;
    boolean isBurst = random.nextBoolean();
    for (int i = 0; i < count; i++) {
      tries.add(
          new Try(
              i,
              isBurst ? random.nextInt(200) : random.nextInt(FAULTS_UNTIL),
              random.nextInt(settings.slots),
              "account-" + random.nextInt(accounts),
              "key-" + random.nextInt(keys),
              one(random, 10) ? 1 : 0,
              act(random, settings),
              length(random),
              length(random),
              one(random, 4) ? random.nextInt(2_000) : Integer.MAX_VALUE));
      isBurst = isBurst && !one(random, 3);
    }
    List<Fault> faults = new ArrayList<>();
    int troubles = random.nextInt(4);
    for (int i = 0; i < troubles; i++) {
      faults.add(fault(random, settings));
    }
    Calling calling = settings.isSaga ? Calling.THREAD : calling(seed);
    return new Plan(seed, settings, calling, List.copyOf(tries), List.copyOf(faults));
  }

  /** Drawn apart, as all that came later. A saga's steps block, so sagas have threads. */
  private static Calling calling(long seed) {
    return pick(new SplittableRandom(seed ^ 0x5DEECE66DL), Calling.values());
  }

  /** Returns the same plan with other callers. */
  Plan calling(Calling other) {
    return new Plan(seed, settings, other, tries, faults);
  }

  boolean isAsync() {
    return calling != Calling.THREAD;
  }

  private static Settings settings(SplittableRandom random, long pendingMemory) {
    boolean isSaga = one(random, 3);
    Recovering recovering = pick(random, Recovering.values());
    Failures failures = one(random, 2) ? Failures.KEEP : pick(random, Failures.values());
    // A saga's downstream keys outlive its entry, so it is not begun anew.
    boolean isShort = !isSaga && one(random, 3);
    int retention = isShort ? 500 + random.nextInt(6_000) : 3_600_000;
    int noise = pick(random, new Integer[] {0, 20, 100, 300});
    return new Settings(
        recovering,
        2 + random.nextInt(3),
        failures,
        isSaga,
        isSaga || random.nextBoolean(),
        one(random, 2) ? 500 + random.nextInt(5_000) : 0,
        retention,
        isShort && one(random, 2) ? 10_000 + random.nextInt(10_000) : 7_200_000,
        one(random, 4) ? 2_000 + random.nextInt(6_000) : 3_600_000,
        one(random, 4) ? 5_000 : 600_000,
        noise,
        one(random, 5) ? 700 : noise,
        2 + random.nextInt(2),
        one(random, 4),
        one(random, recovering == Recovering.RECONCILE ? 2 : 6)
            && recovering == Recovering.RECONCILE,
        one(random, 4) ? 1 : 1_000,
        pendingMemory);
  }

  /** Nothing at all, one outcome without its answer, or more than there ever is. */
  private static long pendingMemory(long seed) {
    // Drawn apart, so that the other settings of a seed stay what they were.
    int draw = new SplittableRandom(~seed).nextInt(10);
    return draw == 0 ? 0 : draw == 1 ? 1_060 : ROOM_FOR_ALL;
  }

  private static Act act(SplittableRandom random, Settings settings) {
    if (random.nextInt(10) < 6) {
      return Act.CHARGE;
    }
    Act[] acts =
        settings.isSaga
            ? new Act[] {Act.THROW_EARLY, Act.THROW_LATE, Act.WRAP}
            : new Act[] {Act.REFUSE, Act.THROW_EARLY, Act.LARGE};
    return pick(random, acts);
  }

  private static Fault fault(SplittableRandom random, Settings settings) {
    Trouble trouble =
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3 -> Trouble.CRASH;
          case 4, 5, 6 -> Trouble.PAUSE;
          case 7 -> Trouble.OUTAGE;
          case 8 -> Trouble.JUMP;
          default -> Trouble.CLOSE;
        };
    int length =
        trouble == Trouble.OUTAGE ? 500 + random.nextInt(6_000) : 2_000 + random.nextInt(8_000);
    return new Fault(
        trouble,
        random.nextInt(settings.slots),
        random.nextInt(12),
        pick(random, Moment.values()),
        length);
  }

  private static <T> T pick(SplittableRandom random, T[] all) {
    return all[random.nextInt(all.length)];
  }

  private static int length(SplittableRandom random) {
    return one(random, 6) ? random.nextInt(10_000) : random.nextInt(60);
  }

  private static boolean one(SplittableRandom random, int of) {
    return random.nextInt(of) == 0;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("seed " + seed + " " + calling + "\n  " + settings);
    tries.forEach(each -> text.append("\n  ").append(each));
    faults.forEach(each -> text.append("\n  ").append(each));
    return text.toString();
  }
}
