// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.simulation.Plan.Act;
import io.retrysafe.simulation.Plan.Fault;
import io.retrysafe.simulation.Plan.Settings;
import io.retrysafe.simulation.Plan.Try;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Makes a plan smaller as long as it still breaks the same property. */
final class Shrinker {
  private static final int MOST_STEPS = 100;

  private final Predicate<Plan> isStillBroken;

  Shrinker(Predicate<Plan> isStillBroken) {
    this.isStillBroken = isStillBroken;
  }

  Plan shrink(Plan plan) {
    Plan least = plan;
    for (int step = 0; step < MOST_STEPS; step++) {
      Optional<Plan> smaller =
          smaller(least).stream().filter(isOther(least)).filter(isStillBroken).findFirst();
      if (smaller.isEmpty()) {
        return least;
      }
      least = smaller.get();
    }
    return least;
  }

  private static Predicate<Plan> isOther(Plan plan) {
    return other -> !other.equals(plan);
  }

  private static List<Plan> smaller(Plan plan) {
    List<Plan> plans = new ArrayList<>();
    for (Try call : plan.tries()) {
      plans.add(with(plan, plan.settings(), without(plan.tries(), call), plan.faults()));
    }
    for (Fault fault : plan.faults()) {
      plans.add(with(plan, plan.settings(), plan.tries(), without(plan.faults(), fault)));
    }
    for (int noise : new int[] {0, 20, 100}) {
      if (noise < plan.settings().upstreamNoise()) {
        plans.add(with(plan, quieter(plan.settings(), noise), plan.tries(), plan.faults()));
      }
    }
    plans.add(with(plan, plainer(plan.settings()), plan.tries(), plan.faults()));
    for (Try call : plan.tries()) {
      List<Try> simpler = new ArrayList<>(plan.tries());
      simpler.set(plan.tries().indexOf(call), simpler(call));
      plans.add(with(plan, plan.settings(), simpler, plan.faults()));
    }
    return plans;
  }

  private static Plan with(Plan plan, Settings settings, List<Try> tries, List<Fault> faults) {
    return new Plan(plan.seed(), settings, plan.calling(), tries, faults);
  }

  private static <T> List<T> without(List<T> all, T one) {
    List<T> fewer = new ArrayList<>(all);
    fewer.remove(one);
    return fewer;
  }

  private static Settings quieter(Settings from, int noise) {
    return settings(from, from.waitUpTo(), noise, noise, from.hasOperator(), from.hasRecoverer());
  }

  private static Settings plainer(Settings from) {
    return settings(from, 0, from.noise(), from.upstreamNoise(), false, false);
  }

  private static Settings settings(
      Settings from,
      int waitUpTo,
      int noise,
      int upstreamNoise,
      boolean hasOperator,
      boolean hasRecoverer) {
    return new Settings(
        from.recovering(),
        from.attempts(),
        from.failures(),
        from.isSaga(),
        from.isUpstreamIdempotent(),
        waitUpTo,
        from.retention(),
        from.unsettledRetention(),
        from.maxRunning(),
        from.rerunWithin(),
        noise,
        upstreamNoise,
        from.slots(),
        hasOperator,
        hasRecoverer,
        from.waiters(),
        from.pendingMemory());
  }

  private static Try simpler(Try call) {
    return new Try(
        call.number(),
        call.at(),
        call.slot(),
        call.account(),
        call.key(),
        call.body(),
        Act.CHARGE,
        10,
        10,
        Integer.MAX_VALUE);
  }
}
