// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.AdminEndpoint.Access;
import io.retrysafe.gateway.AdminEndpoint.Reply;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** What the admin API can do: health, metrics, a look at operations, a reload. */
final class Endpoints {
  private static final int DEFAULT_LIMIT = 100;

  private final Gateway gateway;
  private final Store store;

  Endpoints(Gateway gateway, Store store) {
    this.gateway = gateway;
    this.store = store;
  }

  List<AdminEndpoint> all() {
    return List.of(
        new AdminEndpoint("GET", "/health/live", Access.OPEN, (q, b) -> Reply.text(200, "live\n")),
        new AdminEndpoint("GET", "/health/ready", Access.OPEN, (q, b) -> ready()),
        new AdminEndpoint("GET", "/metrics", Access.OPEN, (q, b) -> metrics()),
        new AdminEndpoint("GET", "/api/operations", Access.VIEWER, (q, b) -> operations(q)),
        new AdminEndpoint("POST", "/api/reload", Access.ADMIN, (q, b) -> reload()));
  }

  private Reply ready() {
    return gateway
        .unreadiness()
        .map(why -> Reply.text(503, why + "\n"))
        .orElseGet(() -> Reply.text(200, "ready\n"));
  }

  private Reply metrics() {
    String text = gateway.metrics().text(gateway.unreadiness().isEmpty());
    return new Reply(200, "text/plain; version=0.0.4; charset=utf-8", text);
  }

  private Reply operations(Map<String, String> query) {
    if (!(store instanceof Browsable browsable)) {
      return Reply.error(501, "The store cannot list operations.");
    }
    String limit = query.getOrDefault("limit", String.valueOf(DEFAULT_LIMIT));
    if (!limit.matches("[0-9]{1,4}")) {
      throw new IllegalArgumentException("limit must be from 1 to 1000, was " + limit);
    }
    Browsable.Query wanted =
        Browsable.Query.of(EnumSet.allOf(State.class), Integer.parseInt(limit));
    JsonArray operations = new JsonArray();
    browsable.browse(wanted).entries().stream()
        .filter(entry -> !entry.key().scope().equals(SelfTest.SCOPE))
        .forEach(entry -> operations.add(json(entry)));
    return Reply.json(200, new JsonObject().put("operations", operations));
  }

  /** Never a body or a header of an answer: a look must not cost a secret. */
  private static JsonObject json(Entry entry) {
    JsonObject json =
        new JsonObject()
            .put("id", HexFormat.of().formatHex(entry.key().digest()))
            .put("account", entry.key().scope().account())
            .put("endpoint", entry.key().scope().endpoint())
            .put("key", entry.key().value())
            .put("state", entry.state().toString())
            .put("attempt", entry.attempt())
            .put("created_at", entry.times().createdAt().toString())
            .put("lease_until", entry.times().leaseUntil().toString())
            .put("expires_at", entry.times().expiresAt().toString());
    entry.outcome().ifPresent(o -> json.put("status", o.status()).put("answer_kept", o.isKept()));
    return json;
  }

  private Reply reload() {
    return gateway.reloadFromSource()
        ? Reply.json(200, new JsonObject().put("reloaded", true))
        : Reply.error(404, "This gateway was started without a file to read again.");
  }
}
