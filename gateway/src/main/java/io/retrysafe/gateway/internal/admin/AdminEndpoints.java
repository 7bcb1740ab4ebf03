// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.retrysafe.gateway.internal.admin.AdminEndpoint.Access;
import io.retrysafe.gateway.internal.admin.AdminEndpoint.Call;
import io.retrysafe.gateway.internal.admin.AdminEndpoint.Reply;
import io.retrysafe.gateway.internal.admin.AdminEndpoint.Threads;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.internal.Json;
import io.retrysafe.operations.AuditQuery;
import io.retrysafe.operations.ChangeRequest;
import io.retrysafe.operations.OperationId;
import io.retrysafe.operations.OperationQuery;
import io.retrysafe.operations.Operations;
import io.retrysafe.operations.Sweeping;
import io.retrysafe.operations.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The endpoints of the admin port. A test compares them with {@code openapi.json}. */
final class AdminEndpoints {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final int SWEEP_LIMIT = 10_000;

  private final GatewayControl gateway;
  private final Metrics metrics;
  private final Operations operations;

  AdminEndpoints(GatewayControl gateway, Metrics metrics, Operations operations) {
    this.gateway = gateway;
    this.metrics = metrics;
    this.operations = operations;
  }

  List<AdminEndpoint> all() {
    return List.of(
        open("/health/live", Threads.LOOP, call -> Reply.text(200, "live\n")),
        open("/health/ready", Threads.HEALTH, call -> ready()),
        open("/metrics", Threads.HEALTH, call -> metrics()),
        open("/api/openapi.json", Threads.API, call -> Reply.json(200, openApi())),
        viewer("/api/operations", this::list),
        viewer("/api/explain", this::explain),
        viewer("/api/operations/{id}", this::show),
        new AdminEndpoint("GET", "/api/operations/{id}/answer", Access.OPERATOR, this::answer),
        operator("/api/operations/{id}/resolve", this::resolve),
        operator("/api/operations/{id}/forget", this::forget),
        viewer("/api/stats", this::stats),
        viewer("/api/routes", this::routes),
        viewer("/api/audit", this::audit),
        operator("/api/sweep", this::sweep),
        operator("/api/reload", call -> reload()));
  }

  private static AdminEndpoint open(String path, Threads threads, AdminEndpoint.Work work) {
    return new AdminEndpoint("GET", path, Access.OPEN, threads, work);
  }

  private static AdminEndpoint viewer(String path, AdminEndpoint.Work work) {
    return new AdminEndpoint("GET", path, Access.VIEWER, work);
  }

  private static AdminEndpoint operator(String path, AdminEndpoint.Work work) {
    return new AdminEndpoint("POST", path, Access.OPERATOR, work);
  }

  private Reply ready() {
    return gateway
        .unreadiness()
        .map(why -> Reply.text(503, why + "\n"))
        .orElseGet(() -> Reply.text(200, "ready\n"));
  }

  private Reply metrics() {
    String text = metrics.text(gateway.unreadiness().isEmpty());
    return new Reply(200, "text/plain; version=0.0.4; charset=utf-8", text);
  }

  static String openApi() throws IOException {
    try (InputStream in = AdminEndpoints.class.getResourceAsStream("openapi.json")) {
      if (in == null) {
        throw new IOException("openapi.json is missing from this build");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  private Reply list(Call call) {
    return call.reply(operations.list(OperationQuery.of(call.query())));
  }

  private Reply explain(Call call) {
    return call.reply(operations.explain(OperationQuery.of(call.query())));
  }

  private Reply show(Call call) {
    return call.reply(operations.show(OperationId.of(call.id())));
  }

  private Reply answer(Call call) {
    return call.reply(operations.answer(OperationId.of(call.id())));
  }

  private Reply resolve(Call call) {
    OperationId id = OperationId.of(call.id());
    Map<String, @Nullable Object> members = call.members();
    Verdict verdict = Verdict.of(members);
    return call.reply(operations.resolve(id, verdict, request(call, members)));
  }

  private Reply forget(Call call) {
    OperationId id = OperationId.of(call.id());
    Map<String, @Nullable Object> members = call.members();
    only(members.keySet(), ChangeRequest.NAMES);
    return call.reply(operations.forget(id, request(call, members)));
  }

  /**
   * Reads a change request. A named token determines the actor; other tokens leave it to the
   * request.
   */
  private static ChangeRequest request(Call call, Map<String, @Nullable Object> members) {
    return ChangeRequest.of(members, Optional.ofNullable(call.caller()));
  }

  private Reply stats(Call call) {
    return call.reply(operations.stats().withRequests(metrics.requests()));
  }

  private Reply routes(Call call) {
    String route = call.query().getOrDefault("route", "");
    return call.reply(route.isEmpty() ? gateway.description() : gateway.description().only(route));
  }

  private Reply audit(Call call) {
    return call.reply(operations.audit(AuditQuery.of(call.query())));
  }

  private Reply sweep(Call call) {
    Sweeping swept = operations.sweep(SWEEP_LIMIT);
    String caller = call.caller() == null ? "an operator" : call.caller();
    LOG.log(System.Logger.Level.INFO, "{0} swept: {1} removed", caller, swept.removed());
    return call.reply(swept);
  }

  private static void only(Set<String> given, Set<String> known) {
    for (String name : given) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(name + " is not known; there are " + known);
      }
    }
  }

  private Reply reload() {
    return gateway.reload()
        ? Reply.json(200, Json.write(Map.of("reloaded", true)))
        : Reply.problem(404, "not-found", "This gateway was started without a file to read again.");
  }
}
