// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.Retrysafe;
import io.retrysafe.gateway.account.SharedSecret;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Tls;
import io.retrysafe.gateway.describe.GatewayDescription;
import io.retrysafe.gateway.describe.StartupSummary;
import io.retrysafe.gateway.internal.admin.AdminServer;
import io.retrysafe.gateway.internal.admin.GatewayControl;
import io.retrysafe.gateway.internal.admin.SelfTest;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.gateway.internal.proxy.BlockingCalls;
import io.retrysafe.gateway.internal.proxy.Proxy;
import io.retrysafe.gateway.internal.proxy.ProxyContext;
import io.retrysafe.gateway.internal.proxy.VertxFutures;
import io.retrysafe.gateway.internal.wire.Acceptor;
import io.retrysafe.gateway.internal.wire.ClientCounts;
import io.retrysafe.gateway.internal.wire.StrictTransport;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.operations.Operations;
import io.retrysafe.store.Store;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A running gateway. It accepts requests when {@link #start} returns. The caller closes the store,
 * after the gateway.
 */
public final class Gateway implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final String NO_TOKENS =
      "the admin API refuses every request, because there is no token: set admin-token, viewer-token"
          + " or tokens. Tokens that are made at the start are shown on a terminal only, or written"
          + " to token-file";

  private final Store store;
  private final Retrysafe engine;
  private final Duration storeDeadline;
  private final BlockingCalls calls;
  private final SharedSecret secret;
  private final Metrics metrics = new Metrics();
  private final Proxy proxy;
  private final Vertx vertx;
  private final GatewayHealth health;
  private final AdminServer admin;
  private final @Nullable Supplier<GatewayConfig> source;
  private final ReentrantLock reloading = new ReentrantLock();
  private final ReentrantLock closing = new ReentrantLock();
  private boolean isClosed;

  private Gateway(Builder builder) {
    GatewayConfig config = builder.config;
    if (config.isJsonLog()) {
      JsonLog.install();
    }
    this.store = builder.store;
    this.source = builder.source;
    this.storeDeadline = config.limits().storeDeadline();
    this.engine = engine(config, store, metrics);
    this.calls = new BlockingCalls(builder.storeThreads);
    this.secret = new SharedSecret(store);
    this.proxy =
        new Proxy(
            new ProxyContext.Resources(engine, calls, metrics, secret, builder.longestPause),
            config);
    this.vertx =
        Vertx.builder()
            .with(new VertxOptions().setEventLoopPoolSize(proxy.loops()))
            .withTransport(
                StrictTransport.create(options -> new Acceptor(options, proxy::config, metrics)))
            .build();
    this.health = new GatewayHealth(new SelfTest(engine), secret, calls, vertx);
    Operations operations = Operations.builder(store, engine).service(proxy::service).build();
    this.admin = new AdminServer(proxy::config, new Control(), metrics, operations);
    try {
      start(config);
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
    int waiters = (Integer) config.policy().get(Settings.named("waiters"));
    Retrysafe.Builder builder =
        Retrysafe.builder(store)
            .storeDeadline(config.limits().storeDeadline())
            .waiters(waiters)
            .listener(metrics)
            .name(config.name());
    config.limits().pendingMemory().ifPresent(builder::pendingMemory);
    return builder.build();
  }

  private void start(GatewayConfig config) {
    warn(config);
    health.learnSecret(config);
    logPromises();
    health.runSelfTest(proxy::config);
    VertxFutures.await(vertx.deployVerticle(admin), "cannot listen on " + config.admin());
    proxy.listen(vertx);
  }

  private static void warn(GatewayConfig config) {
    config.warnings().forEach(text -> LOG.log(System.Logger.Level.WARNING, text));
    if (config.tokens().isEmpty()) {
      LOG.log(System.Logger.Level.WARNING, NO_TOKENS);
    }
  }

  private void logPromises() {
    startLines().forEach(line -> LOG.log(System.Logger.Level.INFO, line));
  }

  /** Starts a gateway on {@code store} with all other defaults. */
  public static Gateway start(GatewayConfig config, Store store) {
    return builder(config, store).start();
  }

  /** Returns a builder of a gateway on {@code store}. */
  public static Builder builder(GatewayConfig config, Store store) {
    return new Builder(config, store);
  }

  /** Returns the address for requests. */
  public InetSocketAddress address() {
    return new InetSocketAddress(proxy.config().listen().host(), proxy.port());
  }

  /** Returns the address of the admin API. */
  public InetSocketAddress adminAddress() {
    return new InetSocketAddress(proxy.config().admin().host(), admin.actualPort());
  }

  /** Returns what the gateway promises, one line for each route, as it logs it at start. */
  public List<String> startLines() {
    return new StartupSummary(proxy.config(), store.profile()).lines();
  }

  /**
   * Switches to another configuration. Requests that have begun end under the old one; later ones
   * begin under the new one. Certificates are read again; open connections keep theirs.
   *
   * @throws IllegalArgumentException if the configuration changes what only a restart can change,
   *     such as the addresses or the store, or names certificates that cannot be used; then nothing
   *     has changed
   */
  public void reload(GatewayConfig config) {
    reloading.lock();
    try {
      checkRestart(proxy.config(), config);
      secret.learn(config.secret(), config.account().needsSecret());
      Tls adminTls = config.admin().tls();
      ServerSSLOptions certificate = adminTls == null ? null : adminTls.renewed();
      proxy.reload(
          config,
          () -> {
            if (certificate != null) {
              VertxFutures.await(
                  admin.renew(certificate), "cannot show the certificate of " + config.admin());
            }
          });
    } finally {
      reloading.unlock();
    }
  }

  /** Checks that nothing changes that only a restart can change. */
  private static void checkRestart(GatewayConfig now, GatewayConfig next) {
    unchanged("listen", now.listen().isSamePlace(next.listen()));
    unchanged("admin", now.admin().isSamePlace(next.admin()));
    unchanged("store", now.store().equals(next.store()));
    unchanged("h2c", now.isH2c() == next.isH2c());
    unchanged("near", Objects.equals(now.near(), next.near()));
    unchanged("name", now.name().equals(next.name()));
    unchanged("secret-file", Objects.equals(now.secret(), next.secret()));
  }

  private static void unchanged(String name, boolean isSame) {
    if (!isSame) {
      throw new IllegalArgumentException(
          name + " cannot change while the gateway runs: restart it, or leave it as it was");
    }
  }

  /**
   * Stops the gateway. It accepts no new requests and waits for running operations within the
   * configured time, including those whose clients have disconnected. Operations that still run
   * after that stay claimed until their leases end. Every caller of this method returns after the
   * gateway has stopped.
   */
  @Override
  public void close() {
    closing.lock();
    try {
      if (!isClosed) {
        isClosed = true;
        health.stopping();
        stop();
      }
    } finally {
      closing.unlock();
    }
  }

  private void stop() {
    Duration within = proxy.config().limits().stopWithin();
    long start = System.nanoTime();
    proxy.stop(within);
    // Outcomes that wait for a silent store get what is left.
    Duration left = within.minusNanos(System.nanoTime() - start);
    engine.close(left.compareTo(storeDeadline) > 0 ? left : storeDeadline);
    calls.close();
    if (!VertxFutures.isDone(vertx.close(), VertxFutures.SOON)) {
      LOG.log(
          System.Logger.Level.WARNING, "not everything was closed within {0}", VertxFutures.SOON);
    }
  }

  // For tests

  int loops() {
    return proxy.loops();
  }

  ClientCounts clients() {
    return proxy.clients();
  }

  int runningOperations() {
    return proxy.runningOperations();
  }

  boolean isStopped() {
    return proxy.isStopped();
  }

  Metrics metrics() {
    return metrics;
  }

  /** The gateway as its admin API sees it. */
  private final class Control implements GatewayControl {
    @Override
    public Optional<String> unreadiness() {
      return health.unreadiness(storeDeadline);
    }

    @Override
    public boolean reload() {
      if (source == null) {
        return false;
      }
      Gateway.this.reload(source.get());
      LOG.log(System.Logger.Level.INFO, "reloaded");
      warn(proxy.config());
      logPromises();
      return true;
    }

    @Override
    public GatewayDescription description() {
      return GatewayDescription.of(proxy.config(), store.profile());
    }
  }

  /** Settings of a running gateway. */
  public static final class Builder {
    private final GatewayConfig config;
    private final Store store;
    private @Nullable Supplier<GatewayConfig> source;
    private Duration longestPause = Duration.ofMillis(100);
    private int storeThreads = BlockingCalls.THREADS;

    private Builder(GatewayConfig config, Store store) {
      this.config = config;
      this.store = store;
    }

    /**
     * The source from which {@code POST /api/reload} reads the configuration, such as a file. It
     * may block, and throws {@link IllegalArgumentException} if the configuration cannot be used;
     * the caller of the API gets the message. Without a source that path does not exist.
     */
    public Builder source(Supplier<GatewayConfig> source) {
      this.source = source;
      return this;
    }

    Builder longestPause(Duration longestPause) {
      this.longestPause = longestPause;
      return this;
    }

    Builder storeThreads(int storeThreads) {
      this.storeThreads = storeThreads;
      return this;
    }

    /**
     * Starts the gateway.
     *
     * @throws UncheckedIOException if an address is in use
     */
    public Gateway start() {
      return new Gateway(this);
    }
  }
}
