// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.metrics;

import io.retrysafe.Event;
import io.retrysafe.Listener;
import io.retrysafe.operations.Operations;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** The metrics of a gateway, in the text format of Prometheus. */
public final class Metrics implements Listener {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final long TELL_EVERY = TimeUnit.MINUTES.toNanos(1);

  private final Map<Event.Kind, LongAdder> events = new EnumMap<>(Event.Kind.class);
  private final ConcurrentHashMap<String, RouteCounters> routes = new ConcurrentHashMap<>();
  private final LongAdder running = new LongAdder();
  private final LongAdder connections = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong toldAt = new AtomicLong(System.nanoTime() - TELL_EVERY);
  private final BodyBudget bodies = new BodyBudget();
  private final BodyBudget answers = new BodyBudget();

  public Metrics() {
    for (Event.Kind kind : Event.Kind.values()) {
      events.put(kind, new LongAdder());
    }
  }

  @Override
  public void on(Event event) {
    if (event.key().scope().equals(Operations.SELF_TEST)) {
      return;
    }
    LongAdder adder = events.get(event.kind());
    if (adder != null) {
      adder.increment();
    }
  }

  /** Returns the counters of a route. A reload keeps them. */
  public RouteCounters route(String name) {
    return routes.computeIfAbsent(name, RouteCounters::new);
  }

  /** Returns the memory budget of request bodies. */
  public BodyBudget bodies() {
    return bodies;
  }

  /** Returns the memory budget of answers that are not recorded yet. */
  public BodyBudget answers() {
    return answers;
  }

  /** Returns the number of guarded requests at upstreams. */
  public LongAdder running() {
    return running;
  }

  /** Returns the number of connections, including those to the admin port. */
  public LongAdder connections() {
    return connections;
  }

  /** Counts a refused connection, and logs at most once a minute. */
  public void connectionRefused() {
    refused.increment();
    long before = toldAt.get();
    long now = System.nanoTime();
    if (now - before >= TELL_EVERY && toldAt.compareAndSet(before, now)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "connections are refused, because there are too many of them (connections,"
              + " connections-per-client); {0} were refused so far",
          refused.sum());
    }
  }

  /** Returns the number of requests that are not answered yet. */
  public AtomicInteger open() {
    return open;
  }

  /** Returns the counts of results by route. */
  public Map<String, Map<String, Long>> requests() {
    Map<String, Map<String, Long>> requests = new TreeMap<>();
    routes.forEach((name, route) -> requests.put(name, route.results()));
    return requests;
  }

  public String text(boolean isReady) {
    StringBuilder out = new StringBuilder();
    Collection<RouteCounters> all = new TreeMap<>(routes).values();
    head(out, "retrysafe_requests_total", "counter", "Requests by route and how they ended.");
    for (RouteCounters route : all) {
      counts(out, "retrysafe_requests_total", route.route(), "result", route.results());
    }
    head(out, "retrysafe_observed_total", "counter", "What observe mode would have done.");
    for (RouteCounters route : all) {
      counts(out, "retrysafe_observed_total", route.route(), "would", route.observed());
    }
    head(out, "retrysafe_upstream_seconds", "summary", "Time of guarded calls at upstreams.");
    each(out, all, "retrysafe_upstream_seconds_sum", RouteCounters::upstreamSeconds);
    each(out, all, "retrysafe_upstream_seconds_count", route -> (double) route.upstreamCalls());
    head(out, "retrysafe_events_total", "counter", "What happened to operations.");
    events.forEach(
        (kind, adder) ->
            line(
                out,
                "retrysafe_events_total{event=\"" + kind.name().toLowerCase(Locale.ROOT) + "\"}",
                adder.sum()));
    gauge(out, "retrysafe_running", "Guarded requests that are at an upstream.", running.sum());
    gauge(out, "retrysafe_requests", "Requests that are not answered yet.", open.get());
    gauge(out, "retrysafe_connections", "Connections to the gateway.", connections.sum());
    head(out, "retrysafe_connections_refused_total", "counter", "Connections that were too many.");
    line(out, "retrysafe_connections_refused_total", refused.sum());
    gauge(out, "retrysafe_bodies_bytes", "Memory that request bodies hold.", bodies.held());
    gauge(out, "retrysafe_answers_bytes", "Memory that answers hold.", answers.held());
    gauge(out, "retrysafe_ready", "Whether the gateway is ready.", isReady ? 1 : 0);
    Runtime jvm = Runtime.getRuntime();
    gauge(out, "retrysafe_heap_bytes", "Heap in use.", jvm.totalMemory() - jvm.freeMemory());
    return out.toString();
  }

  private static void counts(
      StringBuilder out, String name, String route, String label, Map<String, Long> counts) {
    counts.forEach(
        (word, count) ->
            line(
                out,
                name + "{route=\"" + escaped(route) + "\"," + label + "=\"" + word + "\"}",
                count));
  }

  private static void each(
      StringBuilder out,
      Collection<RouteCounters> routes,
      String name,
      Function<RouteCounters, Double> value) {
    for (RouteCounters route : routes) {
      out.append(name).append("{route=\"").append(escaped(route.route())).append("\"} ");
      out.append(value.apply(route)).append('\n');
    }
  }

  private static void gauge(StringBuilder out, String name, String help, long value) {
    head(out, name, "gauge", help);
    line(out, name, value);
  }

  private static void head(StringBuilder out, String name, String type, String help) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private static void line(StringBuilder out, String name, long value) {
    out.append(name).append(' ').append(value).append('\n');
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
