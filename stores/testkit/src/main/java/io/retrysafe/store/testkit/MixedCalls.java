// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Store;
import io.retrysafe.store.testkit.CallHistory.Sent;
import io.retrysafe.store.testkit.KeyState.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Sixteen callers with two clients that send drawn calls to two keys at a time, and the check that
 * their answers are those of a store that does one call after the other.
 *
 * <p>Every pair of keys gets its calls at three times of the day: all pairs in the first hour, then
 * the clock is moved once for all of them so that short leases and retentions are over, and so on.
 */
final class MixedCalls {
  private static final int CALLERS = 16;
  private static final int CALLS = 3;
  private static final int HOURS = 3;
  private static final int STEP = RandomCalls.SHORT + 1;

  private final StoreFixture fixture;
  private final long seed;
  private final List<List<Episode>> pairs = new ArrayList<>();
  private final Map<String, Integer> answers = new TreeMap<>();

  private record Done(Episode episode, Sent sent) {}

  MixedCalls(StoreFixture fixture, long seed, int count, Supplier<OperationKey> keys) {
    this.fixture = fixture;
    this.seed = seed;
    for (int i = 0; i < count; i++) {
      pairs.add(List.of(new Episode(keys.get()), new Episode(keys.get())));
    }
  }

  /** Runs and checks everything, and returns how often each kind of answer was given. */
  Map<String, Integer> run() {
    int unsettled = (int) fixture.store().profile().unsettledRetention().toHours();
    try (Crowd crowd = new Crowd(CALLERS)) {
      for (int hour = 0; hour < HOURS; hour++) {
        if (hour > 0) {
          fixture.advance(Duration.ofHours(STEP));
          pairs.forEach(pair -> pair.forEach(Episode::pass));
        }
        Moment at = new Moment(hour * STEP, unsettled);
        List<List<Done>> done = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
          List<Episode> pair = pairs.get(i);
          long round = (seed * 31 + hour) * 1_000_003 + i;
          done.add(flat(crowd.call(caller -> calls(pair, caller, round))));
        }
        waitForUnanswered(done);
        for (int i = 0; i < pairs.size(); i++) {
          check(i, done.get(i), at);
        }
      }
    }
    return answers;
  }

  private static <T> List<T> flat(List<List<T>> lists) {
    return lists.stream().flatMap(List::stream).toList();
  }

  private List<Done> calls(List<Episode> pair, int caller, long round) {
    List<Done> done = new ArrayList<>();
    RandomCalls calls =
        new RandomCalls(fixture.store(), round * CALLERS + caller, round + "/" + caller);
    for (int sent = 0; sent < CALLS; sent++) {
      Episode episode = pair.get(calls.isOneIn(2) ? 0 : 1);
      ModelCall call = calls.next(episode);
      done.add(send(episode, call, caller, sent));
      // As if the answer was lost: the same call comes again, over the other client.
      if (sent + 1 < CALLS && calls.isOneIn(6)) {
        sent++;
        done.add(send(episode, call, caller, sent));
      }
    }
    return done;
  }

  private Done send(Episode episode, ModelCall call, int caller, int turn) {
    Store client = (caller + turn) % 2 == 0 ? fixture.store() : fixture.secondClient();
    String by = "caller " + caller;
    long from = System.nanoTime();
    try {
      Object answer = call.send(client, episode.key);
      long to = System.nanoTime();
      episode.learn(call, answer);
      return new Done(episode, new Sent(call, answer, from, to, by));
    } catch (NoAnswerException e) {
      return new Done(episode, new Sent(call, null, from, Long.MAX_VALUE, by));
    }
  }

  /** A call without an answer may still land for a while; it must not do so in the next hour. */
  private void waitForUnanswered(List<List<Done>> done) {
    boolean isAny = flat(done).stream().anyMatch(each -> each.sent.answer() == null);
    long until = System.nanoTime() + fixture.store().profile().callTimeout().toNanos();
    while (isAny && System.nanoTime() < until) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private void check(int number, List<Done> done, Moment at) {
    for (Episode episode : pairs.get(number)) {
      List<Sent> calls =
          done.stream().filter(each -> each.episode == episode).map(Done::sent).toList();
      calls.forEach(sent -> answers.merge(kind(sent), 1, Integer::sum));
      try {
        episode.check(calls, at);
      } catch (AssertionError e) {
        throw new AssertionError(
            "seed " + seed + ", pair " + number + ", hour " + at.hour() + ": " + e.getMessage(), e);
      }
    }
  }

  private static String kind(Sent sent) {
    Object answer = sent.answer();
    String call = sent.call().getClass().getSimpleName();
    if (answer instanceof Granted granted) {
      return call + " granted over " + granted.previous();
    }
    if (answer instanceof Boolean || answer instanceof Enum) {
      return call + " " + answer;
    }
    if (answer instanceof Optional<?> found) {
      return call + (found.isPresent() ? " present" : " absent");
    }
    return call + " " + (answer == null ? "unanswered" : answer.getClass().getSimpleName());
  }
}
