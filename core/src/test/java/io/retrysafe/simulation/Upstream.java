// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Outcome;
import io.retrysafe.simulation.Plan.Recovering;
import io.retrysafe.simulation.Track.Grant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The world in which operations have their effects. It knows nothing of the engine; it honours a
 * downstream key or not, and refuses a fence that is smaller than one that it was asked about.
 */
final class Upstream implements Truth.Recordings {
  /** It said no, for good. Nothing happened. */
  static final class Declined extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Declined(String message) {
      super(message, null, false, false);
    }
  }

  private static final class Effect {
    final Map<Integer, Integer> counts = new HashMap<>();
    @Nullable String value;
    boolean isDeclined;
    boolean isUndone;
    long floor;
  }

  static final List<String> STEPS = List.of("reserve", "charge", "ship");

  private final World world;
  private final Map<String, Effect> effects = new HashMap<>();
  private final Set<String> values = new HashSet<>();

  Upstream(World world) {
    this.world = world;
  }

  /** Does the thing called {@code name} for an operation, and returns its receipt. */
  String act(Track track, Grant grant, String name, int attempt) {
    Effect effect = effect(track, name);
    if (grant.fence < effect.floor) {
      throw new Declined("too old a fence");
    }
    if (world.plan.settings().isUpstreamIdempotent()) {
      if (effect.isDeclined) {
        throw new Declined("declined before");
      }
      if (effect.value != null) {
        return effect.value;
      }
    }
    if (isDeclined(track, name, attempt)) {
      effect.isDeclined = true;
      throw new Declined("declined");
    }
    int count = effect.counts.merge(grant.generation, 1, Integer::sum);
    world.deny(count > mostEffects(), "P3", () -> track + ": " + count + " effects of " + name);
    String value = track + " " + name + " " + grant.fence;
    effect.value = value;
    values.add(value);
    return value;
  }

  private int mostEffects() {
    Plan.Settings settings = world.plan.settings();
    boolean mayRepeat =
        settings.recovering() == Recovering.RERUN && !settings.isUpstreamIdempotent();
    return mayRepeat ? settings.attempts() : 1;
  }

  private boolean isDeclined(Track track, String name, int attempt) {
    int dice = (track + name + world.plan.seed() + attempt).hashCode();
    return Math.floorMod(dice, 7) == 0;
  }

  /** Undoes what {@link #act} did. */
  boolean undo(Track track, String name) {
    effect(track, name).isUndone = true;
    boolean isFinal = track.isRecorded(Outcome.Kind.FINAL);
    world.deny(isFinal, "S3", () -> track + ": " + name + " was undone after it was completed");
    int later = STEPS.indexOf(name) + 1;
    for (String step : STEPS.subList(later, STEPS.size())) {
      boolean isForgotten = track.steps.contains(step) && !effect(track, step).isUndone;
      world.deny(isForgotten, "S2", () -> track + ": " + name + " was undone before " + step);
    }
    return true;
  }

  /**
   * Returns the receipt of what happened. If nothing did, nothing will by a smaller fence than
   * {@code fence}.
   */
  Optional<String> lookUp(Track track, String name, long fence) {
    Effect effect = effect(track, name);
    if (effect.value == null || effect.isUndone) {
      effect.floor = Math.max(effect.floor, fence);
      return Optional.empty();
    }
    return Optional.of(effect.value);
  }

  @Override
  public void on(Track track, Outcome outcome) {
    long times =
        track.recorded.stream().filter(each -> each.generation() == track.generation).count();
    world.deny(times > 1, "P5", () -> track + ": recorded twice in one life");
    if (outcome.kind() == Outcome.Kind.FAILED) {
      failed(track);
    } else {
      boolean isPhantom = outcome.isKept() && !values.contains(outcome.body().toUtf8());
      world.deny(isPhantom, "P6", () -> track + ": completed without an effect");
      for (String step : STEPS) {
        boolean isUndone = effect(track, step).isUndone;
        world.deny(isUndone, "S3", () -> track + ": completed after " + step + " was undone");
      }
    }
  }

  private void failed(Track track) {
    Plan.Settings settings = world.plan.settings();
    if (settings.isSaga()) {
      for (String step : STEPS) {
        boolean isForgotten = track.steps.contains(step) && !effect(track, step).isUndone;
        world.deny(isForgotten, "S2", () -> track + ": failed, and " + step + " is not undone");
      }
    } else if (settings.isUpstreamIdempotent() || settings.recovering() != Recovering.RERUN) {
      int count = effect(track, "charge").counts.getOrDefault(track.generation, 0);
      world.deny(count > 0, "P15", () -> track + ": failed, and has its effect");
    }
  }

  private Effect effect(Track track, String name) {
    return effects.computeIfAbsent(track + " " + name, key -> new Effect());
  }
}
