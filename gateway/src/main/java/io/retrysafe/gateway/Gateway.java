// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.Retrysafe;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.Settings;
import io.retrysafe.store.Store;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A running gateway. It listens when {@link #start} returns; the store stays the caller's to close,
 * after the gateway.
 */
public final class Gateway implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Duration SELF_TEST_AGAIN = Duration.ofSeconds(1);

  private final Store store;
  private final Retrysafe engine;
  private final StoreCalls calls;
  private final Vertx vertx;
  private final List<Loop> loops = new ArrayList<>();
  private final int loopCount = Math.max(1, Runtime.getRuntime().availableProcessors());
  private final Metrics metrics = new Metrics();
  private final SelfTest selfTest;
  private final Pulse pulse;
  private final AdminServer admin;
  private final @Nullable Supplier<GatewayConfig> source;
  private final ReentrantLock reloading = new ReentrantLock();
  private final ReentrantLock closing = new ReentrantLock();
  private volatile Site site;
  private volatile boolean isProven;
  private volatile boolean isStopping;
  private volatile boolean isStopped;

  private Gateway(Builder builder) {
    GatewayConfig config = builder.config;
    if (config.isJsonLog()) {
      JsonLog.install();
    }
    this.store = builder.store;
    this.source = builder.source;
    this.engine = engine(config, store, metrics);
    this.selfTest = new SelfTest(engine);
    this.pulse = new Pulse(() -> store.find(selfTest.key()));
    this.calls = new StoreCalls(store);
    this.site = new Site(config, engine, metrics::route);
    this.admin =
        new AdminServer(
            config.admin(), () -> site.config().tokens(), new Endpoints(this, store).all());
    this.vertx =
        Vertx.builder()
            .with(new VertxOptions().setEventLoopPoolSize(loopCount))
            .withTransport(
                StrictTransport.create(
                    options -> new Acceptor(options, () -> site.config().limits(), metrics)))
            .build();
    try {
      startLines().forEach(line -> LOG.log(System.Logger.Level.INFO, line));
      prove();
      await(vertx.deployVerticle(admin), "cannot listen on " + config.admin());
      listen(config);
    } catch (RuntimeException e) {
      try {
        close();
      } catch (RuntimeException failure) {
        e.addSuppressed(failure);
      }
      throw e;
    }
  }

  private static Retrysafe engine(GatewayConfig config, Store store, Metrics metrics) {
    HttpPolicy policy = config.policy();
    int waiters = (Integer) policy.get(Settings.named("waiters"));
    return Retrysafe.builder(store)
        .storeDeadline(config.limits().storeDeadline())
        .waiters(waiters)
        .listener(metrics)
        .name(config.name())
        .build();
  }

  /** Starts a gateway on {@code store} with all other defaults. */
  public static Gateway start(GatewayConfig config, Store store) {
    return builder(config, store).start();
  }

  /** Returns a builder of a gateway on {@code store}. */
  public static Builder builder(GatewayConfig config, Store store) {
    return new Builder(config, store);
  }

  /** Runs the self-test until it succeeds: meanwhile the gateway is not ready. */
  private void prove() {
    try {
      selfTest.run();
      isProven = true;
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "not ready: the self-test failed, it is run again", e);
      vertx.setTimer(
          SELF_TEST_AGAIN.toMillis(),
          timer -> {
            if (!isStopping) {
              calls.blocking().execute(this::prove);
            }
          });
    }
  }

  private void listen(GatewayConfig config) {
    // To Vert.x -1 is any free port, the same for all of its servers.
    int port = config.listen().port() == 0 ? -1 : config.listen().port();
    for (int i = 0; i < loopCount; i++) {
      Loop loop = new Loop(this, options(config), port);
      await(vertx.deployVerticle(loop), "cannot listen on " + config.listen());
      loops.add(loop);
    }
  }

  private static HttpServerOptions options(GatewayConfig config) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxHeaderSize(config.limits().headSize())
            .setMaxInitialLineLength(Math.min(config.limits().headSize(), 16 * 1024))
            .setHandle100ContinueAutomatically(false)
            .setTcpNoDelay(true)
            // Nobody speaks WebSocket here: without these every request has two handlers less.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setAcceptBacklog(1024);
    Tls tls = config.listen().tls();
    if (tls != null) {
      tls.on(options);
    }
    return options;
  }

  private static <T> T await(Future<T> future, String what) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(SOON.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new UncheckedIOException(new IOException(what + ": " + e.getCause(), e.getCause()));
    } catch (TimeoutException e) {
      throw new UncheckedIOException(new IOException(what + " within " + SOON, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException(what + ": interrupted", e));
    }
  }

  /** Returns where requests come in. */
  public InetSocketAddress address() {
    return new InetSocketAddress(site.config().listen().host(), loops.get(0).actualPort());
  }

  /** Returns where the admin API is. */
  public InetSocketAddress adminAddress() {
    return new InetSocketAddress(site.config().admin().host(), admin.actualPort());
  }

  /** Returns what is promised, a line for each route, as it is logged at start. */
  public List<String> startLines() {
    return new StartLines(site, store.profile()).lines();
  }

  /**
   * Goes on with another configuration: requests that have begun end under the old one, later ones
   * begin under the new one. Certificates are read again; connections that are there keep theirs.
   *
   * @throws IllegalArgumentException if it changes what only a restart can, the addresses or the
   *     store, or names certificates that cannot be used; then nothing has changed
   */
  public void reload(GatewayConfig config) {
    reloading.lock();
    try {
      change(config);
    } finally {
      reloading.unlock();
    }
  }

  private void change(GatewayConfig config) {
    GatewayConfig now = site.config();
    unchanged("listen", now.listen().isSamePlace(config.listen()));
    unchanged("admin", now.admin().isSamePlace(config.admin()));
    unchanged("store", now.store().equals(config.store()));
    unchanged("near", Objects.equals(now.near(), config.near()));
    unchanged("name", now.name().equals(config.name()));
    Site next = new Site(config, engine, metrics::route);
    Tls tls = config.listen().tls();
    Tls adminTls = config.admin().tls();
    ServerSSLOptions certificate = tls == null ? null : tls.renewed();
    ServerSSLOptions adminCertificate = adminTls == null ? null : adminTls.renewed();
    if (certificate != null) {
      await(loops.get(0).renew(certificate), "cannot show the certificate of " + config.listen());
    }
    if (adminCertificate != null) {
      await(admin.renew(adminCertificate), "cannot show the certificate of " + config.admin());
    }
    site = next;
    List<CompletableFuture<Void>> opened = new ArrayList<>();
    for (Loop loop : loops) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      loop.onLoop(
          () -> {
            loop.open(next);
            done.complete(null);
          });
      opened.add(done);
    }
    CompletableFuture.allOf(opened.toArray(new CompletableFuture<?>[0])).join();
  }

  private static void unchanged(String name, boolean isSame) {
    if (!isSame) {
      throw new IllegalArgumentException(
          name + " cannot change while the gateway runs: restart it, or leave it as it was");
    }
  }

  /** Reloads from where the configuration came from; false if nobody knows where that is. */
  boolean reloadFromSource() {
    if (source == null) {
      return false;
    }
    reload(source.get());
    LOG.log(System.Logger.Level.INFO, "reloaded");
    startLines().forEach(line -> LOG.log(System.Logger.Level.INFO, line));
    return true;
  }

  /**
   * Returns why requests should go elsewhere; nothing if they are welcome. Asks the store, and
   * waits no longer for it than requests do.
   */
  Optional<String> unreadiness() {
    if (isStopping) {
      return Optional.of("stopping");
    }
    if (!isProven) {
      return Optional.of("the self-test has not succeeded yet");
    }
    return pulse.isThere(site.config().limits().storeDeadline())
        ? Optional.empty()
        : Optional.of("the store does not answer");
  }

  /**
   * Stops: takes no new requests, lets running ones end within the configured bound, and leaves the
   * rest to their leases. Whoever calls it has a gateway that has stopped when it returns.
   */
  @Override
  public void close() {
    closing.lock();
    try {
      if (!isStopping) {
        isStopping = true;
        stop();
      }
    } finally {
      closing.unlock();
    }
  }

  private void stop() {
    Duration within = site.config().limits().stopWithin();
    List<Future<?>> stopped = new ArrayList<>();
    loops.forEach(loop -> stopped.add(loop.shutDown(within.toMillis())));
    if (!isDone(Future.join(List.copyOf(stopped)), within.plus(SOON))) {
      LOG.log(System.Logger.Level.WARNING, "some requests were still running after {0}", within);
    }
    isStopped = true;
    engine.close();
    calls.close();
    if (!isDone(vertx.close(), SOON)) {
      LOG.log(System.Logger.Level.WARNING, "not everything was closed within {0}", SOON);
    }
  }

  private static boolean isDone(Future<?> future, Duration within) {
    try {
      future
          .toCompletionStage()
          .toCompletableFuture()
          .get(within.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Returns whether it is too late to conclude anything: connections to upstreams are closed from
   * this side now, and what they were doing stays leased.
   */
  boolean isStopped() {
    return isStopped;
  }

  Site site() {
    return site;
  }

  /** Returns how its routes are guarded and what is promised there. */
  Design design() {
    return Design.of(site.config(), store.profile());
  }

  int loops() {
    return loopCount;
  }

  StoreCalls calls() {
    return calls;
  }

  Metrics metrics() {
    return metrics;
  }

  /** Returns how often deadlines are looked at: often enough for the shortest of them. */
  Duration lookEvery() {
    Limits limits = site.config().limits();
    long shortest =
        LongStream.of(
                limits.answerTimeout().toMillis(),
                limits.bodyTimeout().toMillis(),
                limits.headTimeout().toMillis(),
                limits.connectTimeout().toMillis())
            .min()
            .orElseThrow();
    return Duration.ofMillis(Math.max(10, Math.min(1000, shortest / 4)));
  }

  /** Settings of a running gateway. */
  public static final class Builder {
    private final GatewayConfig config;
    private final Store store;
    private @Nullable Supplier<GatewayConfig> source;

    private Builder(GatewayConfig config, Store store) {
      this.config = config;
      this.store = store;
    }

    /**
     * Where {@code POST /api/reload} gets the configuration from, such as a file that is read
     * again. It may block and throws {@link IllegalArgumentException} with what is wrong, which the
     * caller of the API is told. Without it that path does not exist.
     */
    public Builder source(Supplier<GatewayConfig> source) {
      this.source = source;
      return this;
    }

    /**
     * Starts the gateway.
     *
     * @throws UncheckedIOException if an address is taken
     */
    public Gateway start() {
      return new Gateway(this);
    }
  }
}
