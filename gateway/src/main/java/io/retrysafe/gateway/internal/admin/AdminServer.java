// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Tls;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.gateway.internal.admin.AdminEndpoint.Access;
import io.retrysafe.gateway.internal.admin.AdminEndpoint.Call;
import io.retrysafe.gateway.internal.admin.AdminEndpoint.Reply;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.gateway.internal.wire.ClientConnections;
import io.retrysafe.gateway.internal.wire.ClientCounts;
import io.retrysafe.gateway.internal.wire.FirstBytes;
import io.retrysafe.gateway.internal.wire.Refusal;
import io.retrysafe.gateway.internal.wire.RequestRules;
import io.retrysafe.gateway.internal.wire.ResponseWriter;
import io.retrysafe.operations.Operations;
import io.retrysafe.operations.RefusedException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The server of the admin port. Its endpoints are not reachable through the main port. */
public final class AdminServer extends VerticleBase {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final String BEARER = "Bearer ";
  private static final int THREADS = 16;
  private static final int HEALTH_THREADS = 2;
  private static final int MOST_QUEUED = 1_000;
  private static final String HOST_REFUSED =
      "This host name is not allowed on the admin port; add it to admin-hosts.";
  private static final long NO_ERROR = 0;
  private static final int LARGEST_LINE = 16 * 1024;
  private static final int LARGEST_HEAD = 32 * 1024;
  private static final long LOOK_EVERY_MILLIS = 1000;

  private final Listen listen;
  private final Supplier<GatewayConfig> config;
  private final List<AdminEndpoint> endpoints;
  private final ExecutorService workers = workers("retrysafe-admin", THREADS);
  private final ExecutorService health = workers("retrysafe-health", HEALTH_THREADS);
  private final ClientConnections connections = new ClientConnections();
  private final FailedLogins failedLogins = new FailedLogins();
  private @Nullable HttpServer server;

  /**
   * Makes the admin server of a gateway.
   *
   * @param config the configuration in use, which a reload changes
   */
  public AdminServer(
      Supplier<GatewayConfig> config,
      GatewayControl gateway,
      Metrics metrics,
      Operations operations) {
    this.listen = config.get().admin();
    this.config = config;
    this.endpoints = new AdminEndpoints(gateway, metrics, operations).all();
  }

  /**
   * Returns platform threads for the admin port only, so that operators get through while all other
   * threads hang in a slow store.
   */
  private static ExecutorService workers(String name, int threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_QUEUED),
            task -> {
              Thread thread = new Thread(task, name);
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
            // Ids contain scope and key.
            .setMaxInitialLineLength(LARGEST_LINE)
            .setMaxHeaderSize(LARGEST_HEAD)
            .setHttp2ClearTextEnabled(false)
            .setIdleTimeout(60)
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    options.getInitialSettings().setMaxHeaderListSize(LARGEST_HEAD);
    Tls tls = listen.tls();
    if (tls != null) {
      tls.on(options);
    }
    vertx.setPeriodic(
        LOOK_EVERY_MILLIS,
        timer -> connections.closeIdle(System.nanoTime(), config.get().limits().headTimeout()));
    HttpServer listening =
        vertx
            .createHttpServer(options)
            .connectionHandler(
                connection -> {
                  FirstBytes.arrived(connection, options);
                  connections.add(connection);
                })
            .requestHandler(this::serve)
            .invalidRequestHandler(ResponseWriter::refuseMalformed);
    server = listening;
    return listening.listen(listen.port(), listen.host());
  }

  @Override
  public Future<?> stop() {
    workers.shutdown();
    health.shutdown();
    return Future.succeededFuture();
  }

  /** Shows another certificate to new connections. */
  public Future<?> renew(ServerSSLOptions certificate) {
    return server == null ? Future.succeededFuture() : server.updateSSLOptions(certificate, true);
  }

  public int actualPort() {
    return server == null ? 0 : server.actualPort();
  }

  /** Handles a request. An error ends that request only. */
  private void serve(HttpServerRequest in) {
    try {
      received(in);
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "a request on the admin port failed", e);
      in.connection().close();
    }
  }

  private void received(HttpServerRequest in) {
    if (!connections.use(in)) {
      return;
    }
    Refusal refusal = RequestRules.refusal(in, Set.of());
    if (refusal == null) {
      handle(in);
    } else {
      connections.sendLast(in, refusal.answer());
    }
  }

  private void handle(HttpServerRequest in) {
    List<AdminEndpoint> there =
        endpoints.stream().filter(e -> e.match(String.valueOf(in.path())).isPresent()).toList();
    AdminEndpoint endpoint =
        there.stream().filter(e -> e.method().equals(in.method().name())).findFirst().orElse(null);
    if (there.isEmpty()) {
      send(in, Reply.problem(404, "not-found", "There is nothing at this path."));
    } else if (!isOwnHost(in, there.get(0))) {
      send(in, Reply.problem(403, "host-refused", HOST_REFUSED));
    } else if (!isOwnOrigin(in)) {
      send(
          in,
          Reply.problem(
              403, "origin-refused", "Requests from pages of other origins are refused."));
    } else if (endpoint == null) {
      in.response()
          .putHeader(
              "Allow", there.stream().map(AdminEndpoint::method).collect(Collectors.joining(", ")));
      send(in, Reply.problem(405, "method-refused", "The method is not " + in.method() + "."));
    } else if (endpoint.access() == Access.OPEN) {
      read(in, endpoint, null);
    } else {
      authenticated(in, endpoint);
    }
  }

  private void authenticated(HttpServerRequest in, AdminEndpoint endpoint) {
    String authorization = in.getHeader("Authorization");
    if (authorization == null || !authorization.startsWith(BEARER)) {
      unauthorized(in);
      return;
    }
    String token = authorization.substring(BEARER.length()).strip();
    Tokens.Caller caller = config.get().tokens().caller(token, Instant.now());
    if (caller == null) {
      slowly(in);
    } else if (Access.of(caller.role()).compareTo(endpoint.access()) < 0) {
      send(in, Reply.problem(403, "role-refused", "This needs an operator's token."));
    } else {
      read(in, endpoint, caller.name());
    }
  }

  private void unauthorized(HttpServerRequest in) {
    if (!in.response().closed()) {
      in.response().putHeader("WWW-Authenticate", "Bearer");
      send(in, Reply.problem(401, "token-missing", "A valid bearer token is required."));
    }
  }

  /** Answers a wrong token, after a delay that grows. */
  private void slowly(HttpServerRequest in) {
    String address = ClientCounts.of(config.get().trustedProxies().client(in));
    long delay = failedLogins.failed(address, System.nanoTime());
    if (delay < 0) {
      in.connection().close();
      return;
    }
    // The body is not read.
    in.pause();
    vertx.setTimer(
        delay,
        timer -> {
          failedLogins.answered();
          in.resume();
          unauthorized(in);
        });
  }

  /**
   * Returns whether the request uses an allowed host name. Health checks reveal nothing and may use
   * any name.
   */
  private boolean isOwnHost(HttpServerRequest in, AdminEndpoint endpoint) {
    String host = in.authority() == null ? null : in.authority().host();
    return endpoint.path().startsWith("/health/") || AdminHosts.isAllowed(host, config.get());
  }

  /** Returns whether the request does not come from a page of another origin. */
  private static boolean isOwnOrigin(HttpServerRequest in) {
    String origin = in.getHeader("Origin");
    return origin == null || origin.equals(in.scheme() + "://" + RequestRules.host(in));
  }

  private void read(HttpServerRequest in, AdminEndpoint endpoint, @Nullable String caller) {
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
    Executor executor =
        switch (endpoint.threads()) {
          case LOOP -> Runnable::run;
          case HEALTH -> health;
          case API -> workers;
        };
    AdminBody.read(vertx, in, config.get().limits().bodyTimeout())
        .onFailure(
            failure -> {
              if (failure instanceof AdminBody.TooLargeException) {
                send(in, Reply.problem(413, "body-too-large", "The body is too large."));
              }
            })
        .onSuccess(
            body -> {
              Call call = new Call(id, query, body.toString(), wantsText, caller);
              try {
                executor.execute(
                    () -> {
                      Reply reply = answer(endpoint, call);
                      context.runOnContext(back -> send(in, reply));
                    });
              } catch (RejectedExecutionException e) {
                send(
                    in,
                    Reply.problem(
                        503, "unavailable", "Too many requests are waiting. Try again later."));
              } catch (Throwable e) {
                LOG.log(System.Logger.Level.ERROR, endpoint.path() + " could not be run", e);
                send(
                    in,
                    Reply.problem(
                        503, "unavailable", "The request could not be run. Try again later."));
              }
            });
  }

  private static Reply answer(AdminEndpoint endpoint, Call call) {
    try {
      return endpoint.work().answer(call);
    } catch (RefusedException e) {
      return Reply.problem(status(e.reason()), e.reason().word(), e.getMessage());
    } catch (IllegalArgumentException e) {
      return Reply.problem(400, "invalid", String.valueOf(e.getMessage()));
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, endpoint.path() + " failed", e);
      return Reply.problem(503, "unavailable", "The request failed; the gateway's log says why.");
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

  /** Sends a reply. If the body was not read, the connection or stream ends. */
  private void send(HttpServerRequest in, Reply reply) {
    if (in.response().closed()) {
      return;
    }
    boolean isUnread = !in.isEnded() && hasBody(in);
    boolean isLast = isUnread && in.version() != HttpVersion.HTTP_2;
    if (isLast) {
      connections.giveUp(in.connection());
      in.response().putHeader("Connection", "close");
    }
    in.response()
        .setStatusCode(reply.status())
        .putHeader("Content-Type", reply.type())
        .putHeader("Cache-Control", "no-store")
        .end(reply.body());
    if (isLast) {
      in.connection().close();
    } else if (isUnread) {
      in.response().reset(NO_ERROR);
    }
  }

  private static boolean hasBody(HttpServerRequest in) {
    String length = in.getHeader("Content-Length");
    return in.version() == HttpVersion.HTTP_2
        || in.headers().contains("Transfer-Encoding")
        || (length != null && !length.equals("0"));
  }
}
