// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.bench.Comparison.Call;
import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Opening;
import io.retrysafe.bench.Comparison.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A payments endpoint of a Spring Boot application on PostgreSQL, over HTTP: bare, guarded, guarded
 * in one transaction, and replays. Application, callers and database share the machine.
 */
final class SpringBenchmark implements Benchmark {
  private static final int CALLERS = 64;
  private static final int PAYMENTS = 200_000;
  private static final int HOT_KEYS = 1_000;

  private Optional<PaymentsServer> server = Optional.empty();

  @Override
  public String name() {
    return "spring";
  }

  @Override
  public String description() {
    return "POST /payments of a Spring Boot application, a row in PostgreSQL each, full durability";
  }

  @Override
  public Unit unit() {
    return Unit.MILLISECONDS;
  }

  @Override
  public List<Integer> callers() {
    return List.of(CALLERS);
  }

  /** The database is a neighbour that belongs to what is measured. */
  @Override
  public double quiet() {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public List<Comparison> comparisons() {
    return List.of(
        new Comparison(
            "payments",
            PAYMENTS,
            List.of(
                Contender.baseline("bare", opening("/bare", false)),
                Contender.of("first", opening("/payments", false)),
                Contender.of("joined", opening("/joined", false)),
                Contender.of("replay", opening("/payments", true)))));
  }

  private PaymentsServer server() {
    if (server.isEmpty()) {
      server = Optional.of(PaymentsServer.start());
    }
    return server.get();
  }

  private Opening opening(String path, boolean isReplay) {
    return (callers, calls) -> {
      server().clear();
      List<HttpCaller> connections = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        connections.add(new HttpCaller(server().port(), path));
      }
      for (int i = 0; isReplay && i < HOT_KEYS; i++) {
        connections.get(0).pay(key(0, i));
      }
      return new Session() {
        @Override
        public Call caller(int number) {
          HttpCaller connection = connections.get(number);
          return isReplay
              ? call -> connection.pay(key(0, (call + number) % HOT_KEYS))
              : call -> connection.pay(key(number, call));
        }

        @Override
        public void close() throws IOException {
          for (HttpCaller connection : connections) {
            connection.close();
          }
        }
      };
    };
  }

  private static String key(int caller, int call) {
    return "order-" + caller + '-' + call;
  }

  @Override
  public List<Goal> goals() {
    return List.of(
        new Goal("replays faster than the bare endpoint", rows -> ratio(rows, "replay", 1)),
        new Goal("first calls at least 60 % of bare", rows -> ratio(rows, "first", 0.6)),
        new Goal("joined calls, for comparison with first", rows -> ratio(rows, "joined", 0.6)));
  }

  private static List<Verdict> ratio(List<Row> rows, String contender, double goal) {
    return rows.stream()
        .filter(row -> row.contender().equals(contender))
        .map(
            row -> {
              double ratio = row.ratios().getOrDefault("bare", 0.0);
              return new Verdict(
                  String.format(Locale.ROOT, "%s is %.2f times bare", contender, ratio),
                  ratio >= goal);
            })
        .toList();
  }
}
