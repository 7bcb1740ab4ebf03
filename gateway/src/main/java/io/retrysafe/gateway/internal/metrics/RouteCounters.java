// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.metrics;

import io.retrysafe.http.Answer;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The counters of a route. A reload keeps them. */
public final class RouteCounters {
  private final String route;
  private final ConcurrentHashMap<String, LongAdder> results = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, LongAdder> observed = new ConcurrentHashMap<>();
  private final LongAdder passed = new LongAdder();
  private final LongAdder first = new LongAdder();
  private final LongAdder replayed = new LongAdder();
  private final LongAdder upstreamNanos = new LongAdder();
  private final LongAdder upstreamCalls = new LongAdder();

  RouteCounters(String route) {
    this.route = route;
  }

  String route() {
    return route;
  }

  /** Counts a request that passed without being guarded. */
  public void passed() {
    passed.increment();
  }

  /** Counts a call to the upstream on behalf of a guarded request. */
  public void called(long nanos) {
    upstreamCalls.increment();
    upstreamNanos.add(nanos);
  }

  /** Counts an answer to a guarded request. */
  public void answered(Answer answer) {
    switch (answer.source()) {
      case HANDLER -> first.increment();
      case REPLAY -> replayed.increment();
      case NOT_KEPT, PROBLEM -> result(word(answer));
    }
  }

  /** Counts a result. */
  public void result(String word) {
    results.computeIfAbsent(word, key -> new LongAdder()).increment();
  }

  /** Counts what observe mode would have done with a request. */
  public void observed(String word) {
    observed.computeIfAbsent(word, key -> new LongAdder()).increment();
  }

  /** Returns the label of an answer: first, replayed or the problem's. */
  public static String word(Answer answer) {
    return switch (answer.source()) {
      case HANDLER -> "first";
      case REPLAY -> "replayed";
      case NOT_KEPT, PROBLEM -> answer.problem().map(type -> type.word()).orElse("refused");
    };
  }

  /** Returns the counts of results by label. */
  Map<String, Long> results() {
    Map<String, Long> sums = sums(results);
    sums.put("passed", passed.sum());
    sums.put("first", first.sum());
    sums.put("replayed", replayed.sum());
    return sums;
  }

  Map<String, Long> observed() {
    return sums(observed);
  }

  long upstreamCalls() {
    return upstreamCalls.sum();
  }

  double upstreamSeconds() {
    return upstreamNanos.sum() / 1e9;
  }

  private static Map<String, Long> sums(Map<String, LongAdder> adders) {
    Map<String, Long> sums = new TreeMap<>();
    adders.forEach((word, adder) -> sums.put(word, adder.sum()));
    return sums;
  }
}
