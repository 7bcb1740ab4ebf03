// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.RecoveryLookup;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorded answers under {@code account: { basic: user }} are for the same password only. */
class BasicUserTest extends GatewayTests {
  private static final String RIGHT = basic("ada:right");
  private static final String WRONG = basic("ada:wrong");

  private static String basic(String text) {
    return "Authorization: Basic "
        + Base64.getEncoder().encodeToString(text.getBytes(UTF_8))
        + "\r\n";
  }

  private String post(String authorization) {
    return Wire.post("/payments", key, authorization, "{}");
  }

  private static void assertRefused(Wire.Reply reply) {
    assertThat(reply.status()).as("%s", reply).isEqualTo(403);
    assertThat(reply.problem()).isEqualTo("replay-refused");
  }

  private static void assertOnlyForTheSamePassword(Gateway gateway, String right, String wrong)
      throws Exception {
    Wire.Reply first = Wire.call(port(gateway), right);
    assertThat(first.status()).isEqualTo(201);
    assertRefused(Wire.call(port(gateway), wrong));
    Wire.Reply replay = Wire.call(port(gateway), right);
    assertThat(replay.status()).isEqualTo(201);
    assertThat(replay.isReplayed()).isTrue();
    assertThat(replay.text()).isEqualTo(first.text());
    assertThat(String.join("\n", replay.headers()).toLowerCase(java.util.Locale.ROOT))
        .doesNotContain("credential");
  }

  @Test
  void aWrongPasswordGetsNoReplay() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream, c -> c.account(AccountResolver.basicUser()));

    assertOnlyForTheSamePassword(gateway, post(RIGHT), post(WRONG));
    assertThat(upstream.asked()).hasSize(1);
  }

  @Test
  void norWhereTheStoreQueuesCalls(@TempDir Path folder) throws Exception {
    Upstream upstream = started(Upstream.charging());
    JdbcStore sqlite = started(JdbcStore.embedded(folder.resolve("store.db")).build());
    Gateway gateway =
        started(
            Gateway.start(
                config(upstream.url()).account(AccountResolver.basicUser()).build(), sqlite));

    assertOnlyForTheSamePassword(gateway, post(RIGHT), post(WRONG));
  }

  @Test
  void theHmacIsKeptAndShownToNobody() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Gateway gateway = gateway(upstream, c -> c.account(AccountResolver.basicUser()));
    Wire.call(port(gateway), post(RIGHT));
    Entry entry = entry(store);
    String hmac =
        entry.outcome().orElseThrow().attributes().stream()
            .filter(each -> each.name().equals(":credential"))
            .findFirst()
            .orElseThrow()
            .value();

    assertThat(hmac).hasSize(64);
    int admin = gateway.adminAddress().getPort();
    String list = Wire.call(admin, Wire.get("/api/operations", admin())).text();
    String id = list.replaceAll("(?s).*\"(op_[^\"]*)\".*", "$1");
    for (String path : new String[] {"", "/answer"}) {
      for (String accept : new String[] {"", "Accept: text/plain\r\n"}) {
        Wire.Reply shown =
            Wire.call(admin, Wire.get("/api/operations/" + id + path, admin() + accept));
        assertThat(shown.status()).isEqualTo(200);
        assertThat(shown.text()).doesNotContain(hmac).doesNotContain("credential");
      }
    }
  }

  private static String admin() {
    return "Authorization: Bearer admin-secret-1234\r\n";
  }

  private static Entry entry(Store store) {
    return ((Browsable) store)
        .browse(Browsable.Query.of(EnumSet.of(State.COMPLETED), 10)).entries().stream()
            .filter(each -> each.key().scope().account().equals("ada"))
            .findFirst()
            .orElseThrow();
  }

  @Test
  void anAnswerThatIsNotKeptIsToldToTheSamePasswordOnly() throws Exception {
    Upstream upstream = started(Upstream.charging());
    HttpPolicy policy = HttpPolicy.create().with("answer-limit", "1");
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.account(AccountResolver.basicUser())
                    .route(GatewayRoute.create("POST /payments").policy(policy)));

    assertThat(Wire.call(port(gateway), post(RIGHT)).status()).isEqualTo(201);
    assertRefused(Wire.call(port(gateway), post(WRONG)));
    assertThat(Wire.call(port(gateway), post(RIGHT)).problem()).isEqualTo("answer-not-kept");
  }

  @Test
  void anAnswerThatWasRecordedWithoutAnHmacIsForNobody() throws Exception {
    Upstream upstream = started(Upstream.charging());
    URI authorizer = started(new Upstream((asked, s) -> Upstream.write(s, 200, "ok"))).url();
    Gateway asking =
        gateway(
            upstream,
            c ->
                c.account(AccountResolver.basicUser())
                    .route(GatewayRoute.create("POST /payments").authorize(authorizer)));
    Gateway gateway = gateway(upstream, c -> c.account(AccountResolver.basicUser()));

    assertThat(Wire.call(port(asking), post(RIGHT)).status()).isEqualTo(201);
    assertThat(entry(store).outcome().orElseThrow().attributes()).noneMatch(a -> a.isOwn());
    // Where an authorizer is asked, it decides.
    assertThat(Wire.call(port(asking), post(WRONG)).isReplayed()).isTrue();
    assertRefused(Wire.call(port(gateway), post(RIGHT)));
  }

  @Test
  void aWrongPasswordThatWaitsForARunningRequestGetsNothingOfIt() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream =
        started(
            new Upstream(
                (request, socket) -> {
                  asked.countDown();
                  assertThat(go.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
                  return Upstream.write(socket, 201, "private");
                }));
    HttpPolicy policy = HttpPolicy.create().with("wait", "50s");
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.account(AccountResolver.basicUser())
                    .route(GatewayRoute.create("POST /payments").policy(policy)));
    CompletableFuture<Wire.Reply> first = later(gateway, RIGHT);
    assertThat(asked.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Wire.Reply> wrong = later(gateway, WRONG);
    CompletableFuture<Wire.Reply> right = later(gateway, RIGHT);
    until(() -> metrics(gateway).contains("retrysafe_requests 3"));
    go.countDown();

    assertThat(first.get(SOON.toSeconds(), TimeUnit.SECONDS).text()).isEqualTo("private");
    assertRefused(wrong.get(SOON.toSeconds(), TimeUnit.SECONDS));
    assertThat(right.get(SOON.toSeconds(), TimeUnit.SECONDS).text()).isEqualTo("private");
  }

  private CompletableFuture<Wire.Reply> later(Gateway gateway, String authorization) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Wire.call(port(gateway), post(authorization));
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        },
        THREADS);
  }

  @Test
  void whatALookupFindsIsForThePasswordThatAsked() throws Exception {
    Upstream upstream =
        started(
            new Upstream(
                (request, socket) -> {
                  if (request.line().startsWith("POST")) {
                    return false;
                  }
                  boolean isRight = RIGHT.contains(request.all("Authorization").get(0));
                  return isRight
                      ? Upstream.write(socket, 200, "found")
                      : Upstream.write(socket, 401, "who?");
                }));
    Gateway gateway =
        gateway(
            upstream,
            c ->
                c.account(AccountResolver.basicUser())
                    .route(
                        GatewayRoute.create("POST /payments")
                            .lookup(new RecoveryLookup("/by/{key}", Duration.ofMillis(1)))));

    assertThat(Wire.call(port(gateway), post(RIGHT)).status()).isEqualTo(504);
    now.updateAndGet(moment -> moment.plusSeconds(60));
    assertThat(Wire.call(port(gateway), post(WRONG)).problem()).isEqualTo("outcome-unknown");
    now.updateAndGet(moment -> moment.plusSeconds(60));
    assertThat(Wire.call(port(gateway), post(RIGHT)).text()).isEqualTo("found");
    assertRefused(Wire.call(port(gateway), post(WRONG)));
    assertThat(Wire.call(port(gateway), post(RIGHT)).text()).isEqualTo("found");
  }
}
