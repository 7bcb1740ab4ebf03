// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClientTable.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClient.Protocol;
import io.retrysafe.gateway.HostileClientTable.Answer;
import io.retrysafe.gateway.HostileClientTable.Port;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.io.IOException;
import java.util.List;

/** Accounts that fill the store: new operations are refused, recorded ones are replayed. */
abstract class HostileClientQuotas extends HostileClientTests {
  private static final String GREEDY = "Bearer greedy";

  private final String quota;
  private final String value;
  private final Answer refused;
  private final String known = key();

  HostileClientQuotas(String quota, String value, Answer refused) {
    this.quota = quota;
    this.value = value;
    this.refused = refused;
  }

  @Override
  GatewayConfig.Builder config(GatewayConfig.Builder config) {
    return config.policy(config.policy().with(quota, value));
  }

  /** Returns a store in which an account has all that it may have, and more. */
  @Override
  Store store() {
    Store store = MemoryStore.create();
    try (Gateway gateway = Gateway.start(GatewayTests.config(upstream().url()).build(), store)) {
      HostileClient client = new HostileClient(Protocol.HTTP_1, gateway.address().getPort(), null);
      for (String key : List.of(known, key(), key(), key(), key())) {
        assertThat(post(key).send(client).status()).isEqualTo(201);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return store;
  }

  /** Waits for the first count. Each account that an honest client uses is a new one. */
  @Override
  void prepare() throws Exception {
    for (Protocol protocol : List.of(Protocol.HTTP_1, Protocol.H2)) {
      HostileClient client = client(Port.REQUESTS, protocol);
      eventually("the first count", () -> status(client), refused.statuses().iterator().next());
    }
  }

  private static int status(HostileClient client) {
    try {
      return post(key()).send(client).status();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  String[] honest() {
    return new String[] {"authorization", "Bearer " + key()};
  }

  private static HostileClientRequest post(String key) {
    return HostileClientRequest.of("POST", "/medium", "authorization", GREEDY)
        .with("idempotency-key", key)
        .body("{}");
  }

  final void assertKnownIsReplayed(Protocol protocol) throws IOException {
    Wire.Reply replay = post(known).send(client(Port.REQUESTS, protocol));
    assertThat(replay.status()).isEqualTo(201);
    assertThat(replay.body()).hasSize(MEDIUM);
  }

  @Override
  void attacks(HostileClientTable table) {
    table.inEveryWay(
        Port.REQUESTS,
        "one operation over " + quota,
        post(key()),
        refused,
        post("a,b"),
        Answer.of(400, "key-invalid"));
    table.on(
        Port.REQUESTS,
        ALL,
        "a known operation over " + quota,
        client -> unsent(() -> assertKnownIsReplayed(client.protocol())));
  }
}
