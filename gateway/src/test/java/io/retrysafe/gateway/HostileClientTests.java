// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClient.Protocol;
import io.retrysafe.gateway.HostileClientTable.Attack;
import io.retrysafe.gateway.HostileClientTable.Port;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Tls;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A table of attacks over raw sockets, in every protocol and on both ports. Each subject has a
 * table of its own. After each attack the gateway serves an honest client, and nothing of the
 * attack is left: no connection, request, body, file or thread.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class HostileClientTests {
  static final Duration PATIENCE = Duration.ofSeconds(60);
  static final int UPSTREAM_CONNECTIONS = 8;
  static final int MANY = 24;

  /** The bytes of an answer that fits into the first window of HTTP/2. */
  static final int MEDIUM = 60_000;

  private static final Pattern STATUS = Pattern.compile("/status/([0-9]+)");

  /** The engine starts some when they are first needed. The attacks together need far more. */
  private static final int MORE_THREADS = 16;

  private static @Nullable Certificate certificate;

  private final AtomicInteger charges = new AtomicInteger();
  private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();
  private final List<Gateway> gateways = new ArrayList<>();
  private @Nullable Upstream upstream;
  private int threads;

  /** Fills the table. */
  abstract void attacks(HostileClientTable table);

  /** Returns the configuration that is attacked. */
  GatewayConfig.Builder config(GatewayConfig.Builder config) {
    return config;
  }

  /** Returns the store of a gateway. */
  Store store() {
    return MemoryStore.create();
  }

  /** Prepares the gateways, which are started; it can be called again. */
  void prepare() throws Exception {}

  /** Returns the headers of an honest client: names and values in turn. */
  String[] honest() {
    return new String[0];
  }

  @BeforeAll
  void start() throws Exception {
    if (certificate == null) {
      certificate = Certificate.create();
    }
    Tls tls = certificate.tls();
    upstream = new Upstream(this::answer);
    gateways.add(gateway(builder().h2c(true)));
    gateways.add(
        gateway(
            builder()
                .listen(Listen.parse("127.0.0.1:0").tls(tls))
                .admin(Listen.parse("127.0.0.1:0").tls(tls))));
    insist(this::prepare);
    for (Protocol protocol : Protocol.values()) {
      assertHonestClientIsServed(protocol);
    }
    threads = threads();
  }

  private GatewayConfig.Builder builder() {
    Limits limits =
        GatewayTests.limits()
            .headTimeout(Duration.ofSeconds(2))
            .bodyTimeout(Duration.ofSeconds(3))
            .passTimeout(Duration.ofSeconds(4))
            .upstreamConnections(UPSTREAM_CONNECTIONS);
    return config(GatewayTests.config(upstream().url()).limits(limits));
  }

  private Gateway gateway(GatewayConfig.Builder config) {
    return Gateway.start(config.build(), store());
  }

  /** Answers with the status that the path names, else with a count. */
  private boolean answer(Upstream.Asked asked, Socket socket) throws Exception {
    CountDownLatch gate = gates.get(asked.line().split(" ", -1)[1]);
    if (gate != null) {
      assertThat(gate.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
    if (asked.line().contains("/large")) {
      return Upstream.write(socket, 201, "x".repeat(1_000_000));
    }
    if (asked.line().contains("/medium")) {
      return Upstream.write(socket, 201, "x".repeat(MEDIUM));
    }
    Matcher status = STATUS.matcher(asked.line());
    return status.find()
        ? Upstream.write(socket, Integer.parseInt(status.group(1)), "odd")
        : Upstream.write(socket, 201, "charge " + charges.incrementAndGet());
  }

  @AfterAll
  void stop() throws Exception {
    for (Gateway gateway : gateways) {
      gateway.close();
    }
    upstream().close();
  }

  final Upstream upstream() {
    return java.util.Objects.requireNonNull(upstream);
  }

  final Gateway gateway(Protocol protocol) {
    return gateways.get(protocol.isTls() ? 1 : 0);
  }

  final HostileClient client(Port port, Protocol protocol) {
    Gateway gateway = gateway(protocol);
    int number =
        port == Port.ADMIN ? gateway.adminAddress().getPort() : gateway.address().getPort();
    return new HostileClient(protocol, number, certificate);
  }

  /** Holds requests for a path at the upstream until the result is counted down. */
  final CountDownLatch held(String path) {
    return gates.computeIfAbsent(path, held -> new CountDownLatch(1));
  }

  static String key() {
    return UUID.randomUUID().toString();
  }

  final Stream<Attack> attacks() {
    HostileClientTable table = new HostileClientTable(this::client);
    attacks(table);
    return table.attacks().stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("attacks")
  void isRefusedAndLeavesNothingBehind(Attack attack) throws Exception {
    attack.run();
    // One client of each gateway that was attacked, in the newest protocol.
    Map<Boolean, Protocol> honest = new TreeMap<>();
    attack.protocols().forEach(protocol -> honest.put(protocol.isTls(), protocol));
    for (Protocol protocol : honest.values()) {
      assertHonestClientIsServed(protocol);
    }
    for (Gateway gateway : gateways) {
      assertNothingIsLeft(gateway);
    }
  }

  /** Runs an attack that must not reach the upstream, in whichever protocol it is made. */
  final void unsent(Attempt attempt) throws Exception {
    int before = upstream().asked().size();
    attempt.run();
    assertThat(upstream().asked()).hasSize(before);
  }

  /** Something that may fail. */
  interface Attempt {
    void run() throws Exception;
  }

  /** Does something many times at once; returns when all are done. */
  static void atOnce(int count, Attempt attempt) throws Exception {
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      running.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  attempt.run();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              },
              GatewayTests.THREADS));
    }
    for (CompletableFuture<Void> each : running) {
      each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  final void assertHonestClientIsServed(Protocol protocol) throws Exception {
    insist(() -> serve(protocol));
  }

  /**
   * Tries until it succeeds. On a busy machine time-outs as short as those of these tests end a try
   * or two of an honest client.
   */
  private static void insist(Attempt attempt) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        attempt.run();
        return;
      } catch (AssertionError | IOException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
      }
    }
  }

  /** Serves one operation and its replay, and the admin port. */
  void serve(Protocol protocol) throws IOException {
    HostileClient honest = client(Port.REQUESTS, protocol);
    String[] headers = HostileClient.with(honest(), "idempotency-key", key());
    byte[] body = HostileClient.bytes("{\"amount\":1}");
    Wire.Reply first = honest.call("POST", "/payments", body, headers);
    Wire.Reply again = honest.call("POST", "/payments", body, headers);
    assertThat(first.status()).as("%s", first).isEqualTo(201);
    assertThat(again.text()).isEqualTo(first.text()).startsWith("charge ");
    serveAdmin(protocol);
  }

  final void serveAdmin(Protocol protocol) throws IOException {
    Protocol spoken = protocol == Protocol.H2C ? Protocol.HTTP_1 : protocol;
    assertThat(client(Port.ADMIN, spoken).call("GET", "/health/live").status()).isEqualTo(200);
  }

  private void assertNothingIsLeft(Gateway gateway) throws Exception {
    Metrics metrics = gateway.metrics();
    eventually("connections", () -> metrics.connections().sum(), 0);
    eventually("requests", () -> metrics.open().get(), 0);
    eventually("running requests", () -> metrics.running().sum(), 0);
    eventually("memory of bodies", () -> metrics.bodies().held(), 0);
    eventually("memory of answers", () -> metrics.answers().held(), 0);
    eventually("clients", () -> gateway.clients().size(), 0);
    eventually("temporary files", () -> temporaryFiles().size(), 0);
    eventually("threads", () -> Math.max(0, threads() - threads - MORE_THREADS), 0);
  }

  /** Returns the files that hold bodies now. */
  static List<Path> temporaryFiles() {
    List<Path> files = new ArrayList<>();
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "retrysafe-body-*")) {
      found.forEach(files::add);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return files;
  }

  static void eventually(String what, java.util.function.LongSupplier value, long expected)
      throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    long now = value.getAsLong();
    while (now != expected && System.nanoTime() < end) {
      Thread.sleep(5);
      now = value.getAsLong();
    }
    assertThat(now).as(what).isEqualTo(expected);
  }

  /** Returns how many threads there are, but for those of bounded pools and of the test itself. */
  private static int threads() {
    return (int)
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(name -> !Set.of("upstream", "test").contains(name))
            .filter(name -> !Set.of("retrysafe-store", "retrysafe-admin").contains(name))
            .filter(name -> !name.startsWith("vert.x-"))
            .count();
  }
}
