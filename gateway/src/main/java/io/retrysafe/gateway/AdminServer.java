// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.AdminEndpoint.Access;
import io.retrysafe.gateway.AdminEndpoint.Call;
import io.retrysafe.gateway.AdminEndpoint.Reply;
import io.retrysafe.operations.RefusedException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Serves endpoints on the admin port. Nothing of it is reachable through the port for requests. */
final class AdminServer extends VerticleBase {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final String BEARER = "Bearer ";
  private static final int THREADS = 16;
  private static final int LARGEST_BODY = 1024 * 1024;

  private final Listen listen;
  private final Supplier<Tokens> tokens;
  private final List<AdminEndpoint> endpoints;
  private final ExecutorService workers = workers();
  private @Nullable HttpServer server;

  AdminServer(Listen listen, Supplier<Tokens> tokens, List<AdminEndpoint> endpoints) {
    this.listen = listen;
    this.tokens = tokens;
    this.endpoints = List.copyOf(endpoints);
  }

  /**
   * Threads of its own, and not virtual ones: an operator gets through while every thread that
   * serves requests hangs in a slow store.
   */
  private static ExecutorService workers() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "retrysafe-admin");
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  @Override
  public Future<?> start() {
    HttpServerOptions options =
        new HttpServerOptions()
            // Ids carry scope and key.
            .setMaxInitialLineLength(16 * 1024)
            .setIdleTimeout(60)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
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

  @Override
  public Future<?> stop() {
    workers.shutdown();
    return Future.succeededFuture();
  }

  /** Shows another certificate to new connections. */
  Future<?> renew(ServerSSLOptions certificate) {
    return server == null ? Future.succeededFuture() : server.updateSSLOptions(certificate, true);
  }

  int actualPort() {
    return server == null ? 0 : server.actualPort();
  }

  private void handle(HttpServerRequest in) {
    List<AdminEndpoint> there =
        endpoints.stream().filter(e -> e.match(String.valueOf(in.path())).isPresent()).toList();
    AdminEndpoint endpoint =
        there.stream().filter(e -> e.method().equals(in.method().name())).findFirst().orElse(null);
    if (there.isEmpty()) {
      send(in, Reply.problem(404, "not-found", "There is nothing at this path."));
    } else if (!isOwnOrigin(in)) {
      send(in, Reply.problem(403, "origin-refused", "Pages of other origins may not ask here."));
    } else if (endpoint == null) {
      in.response()
          .putHeader(
              "Allow", there.stream().map(AdminEndpoint::method).collect(Collectors.joining(", ")));
      send(in, Reply.problem(405, "method-refused", "The method is not " + in.method() + "."));
    } else {
      Access role = role(in.getHeader("Authorization"));
      if (role.compareTo(endpoint.access()) >= 0) {
        read(in, endpoint);
      } else if (role == Access.OPEN) {
        in.response().putHeader("WWW-Authenticate", "Bearer");
        send(in, Reply.problem(401, "token-missing", "A bearer token is needed that is right."));
      } else {
        send(in, Reply.problem(403, "role-refused", "The operator's token is needed for this."));
      }
    }
  }

  /** A browser names the page that asks; only one that this server sent may. */
  private static boolean isOwnOrigin(HttpServerRequest in) {
    String origin = in.getHeader("Origin");
    return origin == null || origin.equals(in.scheme() + "://" + in.getHeader("Host"));
  }

  private Access role(@Nullable String authorization) {
    if (authorization == null || !authorization.startsWith(BEARER)) {
      return Access.OPEN;
    }
    String token = authorization.substring(BEARER.length()).strip();
    Tokens allowed = tokens.get();
    if (isSame(token, allowed.admin())) {
      return Access.OPERATOR;
    }
    return isSame(token, allowed.viewer()) ? Access.VIEWER : Access.OPEN;
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
      send(in, Reply.problem(413, "body-too-large", "The body is too large or has no length."));
      return;
    }
    Map<String, String> query = new HashMap<>();
    try {
      in.params().forEach(query::putIfAbsent);
    } catch (IllegalArgumentException e) {
      send(in, Reply.problem(400, "invalid", "The query cannot be decoded."));
      return;
    }
    String accept = String.valueOf(in.getHeader("Accept"));
    boolean wantsText = accept.contains("text/plain") && !accept.contains("json");
    String id = endpoint.match(String.valueOf(in.path())).orElseThrow();
    Context context = vertx.getOrCreateContext();
    Executor executor = endpoint.isQuick() ? Runnable::run : workers;
    in.body()
        .onSuccess(
            body ->
                executor.execute(
                    () -> {
                      Reply reply =
                          answer(endpoint, new Call(id, query, body.toString(), wantsText));
                      context.runOnContext(back -> send(in, reply));
                    }));
  }

  private static boolean isSmall(String length) {
    return length.matches("[0-9]{1,7}") && Integer.parseInt(length) <= LARGEST_BODY;
  }

  private static Reply answer(AdminEndpoint endpoint, Call call) {
    try {
      return endpoint.work().answer(call);
    } catch (RefusedException e) {
      return Reply.problem(status(e.reason()), e.reason().word(), e.getMessage());
    } catch (IllegalArgumentException e) {
      return Reply.problem(400, "invalid", String.valueOf(e.getMessage()));
    } catch (Exception e) {
      LOG.log(System.Logger.Level.ERROR, endpoint.path() + " failed", e);
      return Reply.problem(503, "unavailable", "It could not be done; the log says why.");
    }
  }

  private static int status(RefusedException.Reason reason) {
    return switch (reason) {
      case NOT_FOUND -> 404;
      case UNREADABLE -> 500;
      case NOT_SUPPORTED -> 501;
      case NOT_FINISHED -> 503;
      case LEASED, SETTLED, NOT_SETTLED, ANSWER_NOT_KEPT, CHANGED -> 409;
    };
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
