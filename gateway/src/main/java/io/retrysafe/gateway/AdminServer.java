// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.AdminEndpoint.Access;
import io.retrysafe.gateway.AdminEndpoint.Reply;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Serves endpoints on the admin port. Nothing of it is reachable through the port for requests. */
final class AdminServer extends VerticleBase {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final String BEARER = "Bearer ";
  private static final int LARGEST_BODY = 1024 * 1024;

  private final Listen listen;
  private final Supplier<Tokens> tokens;
  private final Executor blocking;
  private final List<AdminEndpoint> endpoints;
  private @Nullable HttpServer server;

  AdminServer(
      Listen listen, Supplier<Tokens> tokens, Executor blocking, List<AdminEndpoint> endpoints) {
    this.listen = listen;
    this.tokens = tokens;
    this.blocking = blocking;
    this.endpoints = List.copyOf(endpoints);
  }

  @Override
  public Future<?> start() {
    HttpServerOptions options =
        new HttpServerOptions().setIdleTimeout(60).setIdleTimeoutUnit(TimeUnit.SECONDS);
    Tls tls = listen.tls();
    if (tls != null) {
      tls.on(options);
    }
    HttpServer listening =
        vertx
            .createHttpServer(options)
            .connectionHandler(connection -> FirstBytes.arrived(connection, options))
            .requestHandler(this::handle);
    server = listening;
    return listening.listen(listen.port(), listen.host());
  }

  int actualPort() {
    return server == null ? 0 : server.actualPort();
  }

  private void handle(HttpServerRequest in) {
    List<AdminEndpoint> there = endpoints.stream().filter(e -> e.path().equals(in.path())).toList();
    if (there.isEmpty()) {
      send(in, Reply.error(404, "There is nothing at " + in.path() + "."));
      return;
    }
    AdminEndpoint endpoint =
        there.stream().filter(e -> e.method().equals(in.method().name())).findFirst().orElse(null);
    if (endpoint == null) {
      send(in, Reply.error(405, "The method is not " + in.method() + "."));
    } else if (!mayUse(endpoint.access(), in.getHeader("Authorization"))) {
      in.response().putHeader("WWW-Authenticate", "Bearer");
      send(in, Reply.error(401, "A bearer token that may do this is needed."));
    } else {
      read(in, endpoint);
    }
  }

  private boolean mayUse(Access access, @Nullable String authorization) {
    if (access == Access.OPEN) {
      return true;
    }
    if (authorization == null || !authorization.startsWith(BEARER)) {
      return false;
    }
    String token = authorization.substring(BEARER.length()).strip();
    Tokens allowed = tokens.get();
    return isSame(token, allowed.admin())
        || (access == Access.VIEWER && isSame(token, allowed.viewer()));
  }

  private static boolean isSame(String token, @Nullable String expected) {
    return expected != null && MessageDigest.isEqual(utf8(token), utf8(expected));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void read(HttpServerRequest in, AdminEndpoint endpoint) {
    String length = in.getHeader("Content-Length");
    boolean isBounded =
        length == null ? in.headers().get("Transfer-Encoding") == null : isSmall(length);
    if (!isBounded) {
      send(in, Reply.error(413, "The body is too large or has no length."));
      return;
    }
    Map<String, String> query = new HashMap<>();
    in.params().forEach(query::putIfAbsent);
    Context context = vertx.getOrCreateContext();
    in.body()
        .onSuccess(
            body ->
                blocking.execute(
                    () -> {
                      Reply reply = answer(endpoint, query, body.toString());
                      context.runOnContext(back -> send(in, reply));
                    }));
  }

  private static boolean isSmall(String length) {
    return length.matches("[0-9]{1,7}") && Integer.parseInt(length) <= LARGEST_BODY;
  }

  private static Reply answer(AdminEndpoint endpoint, Map<String, String> query, String body) {
    try {
      return endpoint.work().answer(query, body);
    } catch (IllegalArgumentException e) {
      return Reply.error(400, String.valueOf(e.getMessage()));
    } catch (Exception e) {
      LOG.log(System.Logger.Level.ERROR, endpoint.path() + " failed", e);
      return Reply.error(503, "It could not be done; the log says why.");
    }
  }

  private static void send(HttpServerRequest in, Reply reply) {
    if (!in.response().closed()) {
      in.response()
          .setStatusCode(reply.status())
          .putHeader("Content-Type", reply.type())
          .putHeader("Cache-Control", "no-store")
          .end(reply.body());
    }
  }
}
