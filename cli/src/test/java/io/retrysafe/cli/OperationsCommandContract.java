// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.internal.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every command about operations, against two running gateways. */
abstract class OperationsCommandContract {
  private static final List<String> BECAUSE = List.of("--reason", "the bank says so");

  private final String key = "order-" + UUID.randomUUID();

  abstract Replicas replicas();

  /** The ways in which this store can be asked, each as options. */
  abstract List<List<String>> ways();

  List<String> viaAdmin(int gateway, String token) {
    return List.of("--admin", replicas().admin(gateway), "--admin-token", token);
  }

  private static Ran run(List<String> way, String... args) {
    return Ran.command(List.of(args), way);
  }

  private static Ran ok(List<String> way, String... args) {
    Ran ran = run(way, args);
    assertThat(ran.exit()).as(ran.toString()).isEqualTo(0);
    assertThat(ran.err()).isEmpty();
    return ran;
  }

  private static void until(Callable<Boolean> holds) throws Exception {
    Instant end = Instant.now().plus(Duration.ofSeconds(20));
    while (!holds.call()) {
      assertThat(Instant.now()).as("it never came to hold").isBefore(end);
      Thread.sleep(50);
    }
  }

  private static String flat(String text) {
    return text.replace('\n', ' ').strip();
  }

  @Test
  void aPaymentOfBothReplicasIsExplained() throws Exception {
    assertThat(replicas().pay(2, "/payments", key).statusCode()).isEqualTo(201);
    assertThat(replicas().pay(1, "/payments", key).statusCode()).isEqualTo(201);
    replicas().pay(2, "/payments", key);
    replicas().pay(1, "/payments", key);
    for (List<String> way : ways()) {
      until(
          () ->
              flat(run(way, "operations", "explain", key).out()).contains("replayed 3 times")
                  && run(way, "operations", "show", key).out().contains("claimed"));
      assertThat(flat(ok(way, "operations", "explain", key).out()))
          .matches(
              "executed once by gw-2 at [0-9-: ]+, answered 201 in .*, replayed 3 times [(]last"
                  + " [0-9-: ]+[)]");
      assertThat(ok(way, "operations", "show", key).out())
          .contains("state          completed", "endpoint       POST /payments", "account        ")
          .containsPattern("claimed +gw-2")
          .containsPattern("replayed +gw-1");
      assertThat(ok(way, "operations", "answer", key).out())
          .contains("status 201", "receipt 1", "(masked)")
          .doesNotContain("hush");
    }
  }

  @Test
  void anUnknownPaymentIsFoundAndResolvedAsDone() throws Exception {
    for (List<String> way : ways()) {
      String lost = "lost-" + UUID.randomUUID();
      assertThat(replicas().pay(1, "/silent", lost).statusCode()).isEqualTo(504);
      assertThat(ok(way, "operations", "list", "--state", "unknown", "--key", lost).out())
          .contains("unknown", "POST /silent");
      assertThat(flat(ok(way, "operations", "explain", lost).out()))
          .contains("outcome unknown since ", "and got no answer; ask ");
      assertThat(run(way, "operations", "answer", lost).exit()).isEqualTo(5);
      assertThat(run(way, "operations", "resolve", lost, "--done", "--status", "201").exit())
          .as("no reason")
          .isEqualTo(2);
      assertThat(run(way, "operations", "resolve", lost, "--done", "--status", "201").err().lines())
          .containsExactly(
              "retrysafe: Missing required option: '--reason=TEXT'",
              "help: retrysafe operations resolve --help");
      assertThat(
              Ran.command(
                      List.of("operations", "resolve", lost, "--not-done", "--retention", "1h"),
                      join(way, BECAUSE))
                  .exit())
          .isEqualTo(2);
      assertThat(
              ok(
                      way,
                      "operations",
                      "resolve",
                      lost,
                      "--done",
                      "--status",
                      "201",
                      "--header",
                      "X-Receipt: 7",
                      "--body",
                      "receipt 7",
                      "--reason",
                      "the bank has it as 7")
                  .out())
          .isEqualTo("done with 201: retries get this answer from now on\n");
      var retry = replicas().pay(2, "/silent", lost);
      assertThat(retry.statusCode()).isEqualTo(201);
      assertThat(retry.body()).isEqualTo("receipt 7");
      assertThat(retry.headers().firstValue("X-Receipt")).contains("7");
      Ran again =
          Ran.command(List.of("operations", "resolve", lost, "--not-done", "--reason", "x"), way);
      assertThat(again.exit()).isEqualTo(5);
      assertThat(again.err()).contains("answered 201").doesNotContain("Exception");
    }
  }

  @Test
  void whatWasNotDoneOrIsForgottenRunsAgain() throws Exception {
    for (List<String> way : ways()) {
      String lost = "lost-" + UUID.randomUUID();
      replicas().pay(1, "/silent", lost);
      assertThat(replicas().pay(2, "/silent", lost).statusCode()).isEqualTo(409);
      Ran.command(List.of("operations", "resolve", lost, "--not-done"), join(way, BECAUSE));
      assertThat(replicas().pay(2, "/silent", lost).statusCode()).isEqualTo(504);
      Ran forgotten = Ran.command(List.of("operations", "forget", lost), join(way, BECAUSE));
      assertThat(forgotten.exit()).as(forgotten.toString()).isEqualTo(0);
      assertThat(run(way, "operations", "show", lost).exit()).isEqualTo(3);
    }
  }

  @Test
  void aChangeIsRefusedIfTheOperationIsNotTheOneThatWasSeen() throws Exception {
    for (List<String> way : ways()) {
      String lost = "lost-" + UUID.randomUUID();
      replicas().pay(1, "/silent", lost);
      Matcher seen =
          Pattern.compile("fence +([0-9]+)").matcher(ok(way, "operations", "show", lost).out());
      assertThat(seen.find()).isTrue();
      Ran.command(List.of("operations", "resolve", lost, "--not-done"), join(way, BECAUSE));
      replicas().pay(2, "/silent", lost);
      for (List<String> change :
          List.of(
              List.of("operations", "resolve", lost, "--not-done", "--fence", seen.group(1)),
              List.of("operations", "forget", lost, "--fence", seen.group(1)))) {
        Ran refused = Ran.command(change, join(way, BECAUSE));
        assertThat(refused.exit()).as(refused.toString()).isEqualTo(5);
        assertThat(refused.err()).contains("claimed again since it had the fence");
      }
      assertThat(ok(way, "operations", "show", lost).out()).containsPattern("state +unknown");
    }
  }

  @Test
  void whatOperatorsDidIsAudited() throws Exception {
    for (List<String> way : ways()) {
      String first = "first-" + UUID.randomUUID();
      String second = "second-" + UUID.randomUUID();
      replicas().pay(1, "/payments", first);
      replicas().pay(2, "/payments", second);
      String reason = "a reason that goes on " + "and on ".repeat(12) + "until " + first;
      ok(way, "operations", "forget", first, "--actor", "alice", "--reason", reason);
      ok(way, "operations", "forget", second, "--actor", "bob", "--reason", "a test order");
      String all = ok(way, "audit").out();
      assertThat(all.lines().toList().get(1)).contains("bob", "POST /payments");
      assertThat(flat(all.replace("\n  ", " "))).contains("forgotten: " + reason);
      assertThat(all.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
      List<String> page = ok(way, "audit", "--limit", "1").out().lines().toList();
      assertThat(page.get(2)).isEqualTo("  forgotten: a test order");
      assertThat(page.get(3)).startsWith("more with --before ");
      String before = page.get(3).substring("more with --before ".length());
      assertThat(ok(way, "audit", "--limit", "1", "--before", before).out()).contains("alice");
      assertThat(run(way, "audit", "--before", "noon").exit()).isEqualTo(2);
      assertThat(run(way, "audit", "--limit", "0").exit()).isEqualTo(2);
    }
    assertThat(run(viaAdmin(1, Replicas.VIEWER), "audit").exit()).isEqualTo(0);
  }

  @Test
  void aRunningPaymentIsLeftAlone() throws Exception {
    for (List<String> way : ways()) {
      String running = "running-" + UUID.randomUUID();
      replicas().payLater(1, "/slow", running);
      until(
          () ->
              run(way, "operations", "show", running).out().contains("in_progress")
                  && run(way, "operations", "show", running).out().contains("gw-1"));
      Ran refused = Ran.command(List.of("operations", "forget", running), join(way, BECAUSE));
      assertThat(refused.exit()).isEqualTo(5);
      assertThat(refused.out()).isEmpty();
      assertThat(refused.err()).containsPattern("leased until [0-9-: ]+ by gw-1");
    }
  }

  @Test
  void aKeyOfSeveralOperationsNeedsMoreWords() throws Exception {
    replicas().pay(1, "/payments", key);
    replicas().pay(1, "/refunds", key);
    for (List<String> way : ways()) {
      Ran several = run(way, "operations", "show", key);
      assertThat(several.exit()).isEqualTo(5);
      assertThat(several.err()).contains("--route \"POST /payments\"", "--route \"POST /refunds\"");
      assertThat(ok(way, "operations", "explain", key).out())
          .contains("2 operations have this key", "--account ");
      assertThat(ok(way, "operations", "show", key, "--route", "POST /refunds").out())
          .contains("POST /refunds");
    }
  }

  @Test
  void everythingIsJsonOnDemand() throws Exception {
    replicas().pay(1, "/payments", key);
    for (List<String> way : ways()) {
      for (List<String> command :
          List.of(
              List.of("operations", "list", "--key", key),
              List.of("operations", "show", key),
              List.of("operations", "explain", key),
              List.of("operations", "answer", key),
              List.of("audit"),
              List.of("stats"),
              List.of("sweep"))) {
        Ran ran = Ran.command(command, join(way, List.of("--json")));
        assertThat(ran.exit()).as("%s %s", command, ran).isEqualTo(0);
        assertThat(ran.out().lines()).hasSize(1);
        assertThat(Json.object(ran.out())).isNotEmpty();
      }
      Map<?, ?> list =
          Json.object(
              Ran.command(List.of("operations", "list", "--key", key, "--json"), way).out());
      String id =
          String.valueOf(JsonTree.map(JsonTree.list(list.get("operations")).get(0)).get("id"));
      assertThat(ok(way, "operations", "show", id).out()).contains(key);
    }
  }

  @Test
  void countsAndSweepsAndTablesFitEightyColumns() throws Exception {
    replicas().pay(1, "/payments", "k".repeat(200));
    for (List<String> way : ways()) {
      Ran stats = ok(way, "stats", "--watch", "--times", "1");
      assertThat(stats.out()).containsPattern("completed +[1-9]");
      assertThat(ok(way, "sweep").out()).containsPattern("removed [0-9]+|by itself");
      assertThat((stats.out() + ok(way, "operations", "list").out()).lines())
          .filteredOn(line -> !line.startsWith("more with"))
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }
  }

  @Test
  void aRunningGatewayTellsHowItGuardsItsRoutes() {
    for (int gateway = 1; gateway <= 2; gateway++) {
      List<String> way = viaAdmin(gateway, Replicas.VIEWER);
      assertThat(ok(way, "describe").out()).contains("all requests", "Idempotency-Key", "store: ");
      assertThat(ok(way, "describe", "all requests").out()).contains("all requests");
      Ran json = ok(way, "describe", "--format", "json");
      assertThat(JsonTree.list(Json.object(json.out()).get("routes"))).hasSize(1);
      assertThat(run(way, "describe", "GET /nowhere").exit()).isEqualTo(2);
      assertThat(run(way, "describe", "--format", "markdown").exit()).isEqualTo(2);
      assertThat(run(way, "describe", "--connect").exit()).isEqualTo(2);
      assertThat(run(viaAdmin(gateway, "wrong-secret"), "describe").exit()).isEqualTo(4);
    }
  }

  @Test
  void wrongTokensAndRolesAreTold() throws Exception {
    replicas().pay(1, "/payments", key);
    for (int gateway = 1; gateway <= 2; gateway++) {
      assertThat(run(viaAdmin(gateway, "wrong-secret"), "stats").exit()).isEqualTo(4);
      assertThat(run(viaAdmin(gateway, Replicas.VIEWER), "operations", "show", key).exit())
          .isEqualTo(0);
      Ran answer = run(viaAdmin(gateway, Replicas.VIEWER), "operations", "answer", key);
      assertThat(answer.exit()).isEqualTo(4);
      assertThat(answer.err()).contains("operator's token");
    }
  }

  @Test
  void wrongWordsAreUsageErrors() {
    for (List<String> way : ways()) {
      assertThat(run(way, "operations", "list", "--state", "done").exit()).isEqualTo(2);
      assertThat(run(way, "operations", "list", "--limit", "0").exit()).isEqualTo(2);
      assertThat(run(way, "operations", "show", "no-such-key").exit()).isEqualTo(3);
      assertThat(run(way, "operations", "show", "op_x").exit()).isEqualTo(3);
      assertThat(run(way, "operations", "explain", "no-such-key").exit()).isEqualTo(3);
    }
  }

  private static List<String> join(List<String> one, List<String> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }
}
