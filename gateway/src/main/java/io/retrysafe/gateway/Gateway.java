// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.EventLoop;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.store.Store;
import io.retrysafe.store.StoreException;
import io.vertx.core.Context;
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
  private static final String NO_TOKENS =
      "the admin API refuses every request, because there is no token: set admin-token, viewer-token"
          + " or tokens. Tokens that are made at the start are shown on a terminal only, or written"
          + " to token-file";
  private static final Duration SELF_TEST_AGAIN = Duration.ofSeconds(1);

  private final Store store;
  private final Retrysafe engine;
  private final StoreCalls calls;
  private final Vertx vertx;
  private final List<Loop> loops = new ArrayList<>();
  private final int loopCount = Math.max(1, Runtime.getRuntime().availableProcessors());
  private final Metrics metrics = new Metrics();
  private final RunningOperations running = RunningOperations.create();
  private final Duration storeDeadline;
  private final Clients clients = new Clients();
  private final SelfTest selfTest;
  private final Readiness readiness;
  private final AdminServer admin;
  private final @Nullable Supplier<GatewayConfig> source;
  private final Duration longestPause;
  private final ReentrantLock reloading = new ReentrantLock();
  private final ReentrantLock closing = new ReentrantLock();
  private volatile Site site;
  private volatile @Nullable ServerSecret secret;
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
    this.longestPause = builder.longestPause;
    this.storeDeadline = config.limits().storeDeadline();
    this.engine = engine(config, store, metrics);
    this.selfTest = new SelfTest(engine);
    this.calls = new StoreCalls(builder.storeThreads);
    this.site = new Site(config, engine, metrics);
    this.admin =
        new AdminServer(config.admin(), () -> site.config(), new Endpoints(this, store).all());
    this.vertx =
        Vertx.builder()
            .with(new VertxOptions().setEventLoopPoolSize(loopCount))
            .withTransport(
                StrictTransport.create(
                    options -> new Acceptor(options, () -> site.config(), metrics)))
            .build();
    Context context = vertx.getOrCreateContext();
    EventLoop prober =
        new EventLoop(work -> context.runOnContext(now -> work.run()), calls.blocking());
    this.readiness = new Readiness(() -> selfTest.probe(prober));
    try {
      warn(config);
      agree(config);
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
    Retrysafe.Builder builder =
        Retrysafe.builder(store)
            .storeDeadline(config.limits().storeDeadline())
            .waiters(waiters)
            .listener(metrics)
            .name(config.name());
    config.limits().pendingMemory().ifPresent(builder::pendingMemory);
    return builder.build();
  }

  /** Starts a gateway on {@code store} with all other defaults. */
  public static Gateway start(GatewayConfig config, Store store) {
    return builder(config, store).start();
  }

  /** Returns a builder of a gateway on {@code store}. */
  public static Builder builder(GatewayConfig config, Store store) {
    return new Builder(config, store);
  }

  private static void warn(GatewayConfig config) {
    config.warnings().forEach(text -> LOG.log(System.Logger.Level.WARNING, text));
    if (config.tokens().isEmpty()) {
      LOG.log(System.Logger.Level.WARNING, NO_TOKENS);
    }
  }

  /**
   * Learns the secret that accounts are made with. If the store does not answer, it is asked again
   * with the self-test; until then the gateway is not ready.
   *
   * @throws IllegalArgumentException if other gateways on this store have another secret
   */
  private void agree(GatewayConfig config) {
    try {
      learnSecret(config);
    } catch (StoreException e) {
      LOG.log(System.Logger.Level.ERROR, "not ready: the store does not give the secret", e);
    }
  }

  private void learnSecret(GatewayConfig config) {
    boolean isNeeded = config.account().needsSecret() || config.secret() != null;
    if (isNeeded && secret == null) {
      secret = SharedSecret.agreed(config.secret(), store);
    }
  }

  /** Returns the secret that accounts are made with; null while the store does not give it. */
  @Nullable ServerSecret secret() {
    return secret;
  }

  /** Runs the self-test until it succeeds: meanwhile the gateway is not ready. */
  private void prove() {
    try {
      learnSecret(site.config());
      selfTest.run();
      isProven = true;
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "not ready: the self-test failed, it is run again", e);
      vertx.setTimer(SELF_TEST_AGAIN.toMillis(), timer -> proveAgain());
    }
  }

  private void proveAgain() {
    if (isStopping) {
      return;
    }
    try {
      calls.blocking().execute(this::prove);
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "not ready: the self-test could not be run", e);
      vertx.setTimer(SELF_TEST_AGAIN.toMillis(), timer -> proveAgain());
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
            .setHttp2ClearTextEnabled(config.isH2c())
            .setHandle100ContinueAutomatically(false)
            .setTcpNoDelay(true)
            // Nobody speaks WebSocket here: without these every request has two handlers less.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setAcceptBacklog(1024);
    options.getInitialSettings().setMaxHeaderListSize(config.limits().headSize());
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
    unchanged("h2c", now.isH2c() == config.isH2c());
    unchanged("near", Objects.equals(now.near(), config.near()));
    unchanged("name", now.name().equals(config.name()));
    unchanged("secret-file", Objects.equals(now.secret(), config.secret()));
    learnSecret(config);
    Site next = new Site(config, engine, metrics);
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
    // All that can fail is done before anything changes.
    List<Future<Line>> opened = loops.stream().map(loop -> loop.prepare(next)).toList();
    try {
      await(Future.all(opened), "cannot open connections for the new configuration");
    } catch (RuntimeException e) {
      opened.forEach(line -> line.onSuccess(Line::close));
      throw e;
    }
    site = next;
    List<Future<Void>> used = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      used.add(loops.get(i).use(opened.get(i).result()));
    }
    await(Future.all(used), "the new configuration is not in use everywhere");
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
    warn(site.config());
    startLines().forEach(line -> LOG.log(System.Logger.Level.INFO, line));
    return true;
  }

  /**
   * Returns why requests should go elsewhere; nothing if they are welcome. Claims an operation as
   * requests do, and waits no longer for that than they do.
   */
  Optional<String> unreadiness() {
    if (isStopping) {
      return Optional.of("stopping");
    }
    if (!isProven) {
      return Optional.of("the self-test has not succeeded yet");
    }
    return readiness.isReady(storeDeadline())
        ? Optional.empty()
        : Optional.of("the store does not answer");
  }

  /**
   * Stops: takes no new requests and waits for running operations within the configured bound, also
   * for those whose clients have left. Operations that still run then are left to their leases.
   * Every caller of this method returns after the gateway has stopped.
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
    long start = System.nanoTime();
    List<Future<?>> stopped = new ArrayList<>();
    loops.forEach(loop -> stopped.add(loop.shutDown(within.toMillis())));
    if (!isDone(Future.join(List.copyOf(stopped)), within.plus(SOON))) {
      LOG.log(System.Logger.Level.WARNING, "some requests were still running after {0}", within);
    }
    // After the connections: no request begins an operation any more.
    if (!running.awaitNone(within.minusNanos(System.nanoTime() - start))) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} operations were still running after {1}; they stay claimed until their leases end",
          running.count(),
          within);
    }
    isStopped = true;
    // Outcomes that wait for a silent store get what is left.
    Duration left = within.minusNanos(System.nanoTime() - start);
    engine.close(left.compareTo(storeDeadline) > 0 ? left : storeDeadline);
    calls.close();
    if (!isDone(vertx.close(), SOON)) {
      LOG.log(System.Logger.Level.WARNING, "not everything was closed within {0}", SOON);
    }
  }

  /** Returns the deadline that the engine was given: a reload does not change it. */
  Duration storeDeadline() {
    return storeDeadline;
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

  List<Loop> eventLoops() {
    return loops;
  }

  StoreCalls calls() {
    return calls;
  }

  /** Returns what each client has under way, if that is counted. */
  Clients clients() {
    return clients;
  }

  Metrics metrics() {
    return metrics;
  }

  Retrysafe engine() {
    return engine;
  }

  RunningOperations running() {
    return running;
  }

  /** Returns how long a pause in an answer without a length may be before it leaves as it comes. */
  Duration longestPause() {
    return longestPause;
  }

  /** Returns how often deadlines are looked at: often enough for the shortest of them. */
  Duration lookEvery() {
    Limits limits = site.config().limits();
    long shortest =
        LongStream.of(
                limits.answerTimeout().toMillis(),
                limits.bodyWindow().toMillis(),
                limits.passTimeout().toMillis(),
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
    private Duration longestPause = Duration.ofMillis(100);
    private int storeThreads = StoreCalls.THREADS;

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
     * @throws UncheckedIOException if an address is taken
     */
    public Gateway start() {
      return new Gateway(this);
    }
  }
}
