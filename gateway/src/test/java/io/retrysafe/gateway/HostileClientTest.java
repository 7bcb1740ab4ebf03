// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.Http2Wire.CONTINUATION;
import static io.retrysafe.gateway.Http2Wire.HEADERS;
import static io.retrysafe.gateway.Http2Wire.PING;
import static io.retrysafe.gateway.Http2Wire.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClient.Protocol;
import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.TrustedProxies;
import io.retrysafe.gateway.metrics.Metrics;
import io.retrysafe.http.FingerprintRule;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Store;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Everything that hostile clients try, over raw sockets, in every protocol and on both ports. A row
 * of the table is an attack and what it must come to. After each the gateway serves an honest
 * client, and nothing of the attack is left: no connection, request, body or thread.
 */
class HostileClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern STATUS = Pattern.compile("/status/([0-9]+)");
  private static final AtomicInteger CHARGES = new AtomicInteger();
  private static final int UPSTREAM_CONNECTIONS = 8;
  private static final int MANY = 24;

  /** Vert.x starts some when they are first needed. The attacks together need far more. */
  private static final int MORE_THREADS = 60;

  private static final Set<Protocol> ALL = EnumSet.allOf(Protocol.class);
  private static final Set<Protocol> HTTP_1 = EnumSet.of(Protocol.HTTP_1, Protocol.HTTP_1_TLS);
  private static final Set<Protocol> HTTP_2 = EnumSet.of(Protocol.H2C, Protocol.H2);

  /** A gateway that speaks HTTP/1.1 and h2c, and one behind TLS that speaks HTTP/1.1 and h2. */
  private static Gateway plain;

  private static Gateway encrypted;
  private static Upstream upstream;
  private static Certificate certificate;
  private static int threads;

  /** Which port is attacked. */
  enum Port {
    REQUESTS,
    ADMIN
  }

  /** What an attacker does; it fails where the attack succeeds. */
  interface Action {
    void run(HostileClient client) throws Exception;
  }

  /** An attack, at the same time in several protocols where it takes long. */
  record Attack(String name, Port port, Set<Protocol> protocols, Action action) {

    void run() throws Exception {
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (Protocol protocol : protocols) {
        running.add(CompletableFuture.runAsync(() -> run(protocol), GatewayTests.THREADS));
      }
      for (CompletableFuture<Void> each : running) {
        each.get(2, TimeUnit.MINUTES);
      }
    }

    private void run(Protocol protocol) {
      try {
        action.run(client(port, protocol));
      } catch (Exception e) {
        throw new IllegalStateException(protocol + ": " + e, e);
      }
    }

    @Override
    public String toString() {
      return name + " (" + port + ", " + protocols + ")";
    }
  }

  @BeforeAll
  static void start() throws Exception {
    certificate = Certificate.create();
    upstream = new Upstream(HostileClientTest::answer);
    plain = gateway(config -> config.h2c(true));
    encrypted =
        gateway(
            config ->
                config
                    .listen(Listen.parse("127.0.0.1:0").tls(certificate.tls()))
                    .admin(Listen.parse("127.0.0.1:0").tls(certificate.tls())));
    for (Protocol protocol : ALL) {
      assertHonestClientIsServed(protocol);
    }
    threads = threads();
  }

  /** Answers with the status that the path names, else with a count. */
  private static boolean answer(Upstream.Asked asked, Socket socket) throws IOException {
    Matcher status = STATUS.matcher(asked.line());
    return status.find()
        ? Upstream.write(socket, Integer.parseInt(status.group(1)), "odd")
        : Upstream.write(socket, 201, "charge " + CHARGES.incrementAndGet());
  }

  private static Gateway gateway(java.util.function.UnaryOperator<GatewayConfig.Builder> change) {
    Limits limits =
        GatewayTests.limits()
            .headTimeout(Duration.ofSeconds(2))
            .bodyTimeout(Duration.ofSeconds(3))
            .passTimeout(Duration.ofSeconds(4))
            .upstreamConnections(UPSTREAM_CONNECTIONS);
    Store store = MemoryStore.create();
    GatewayConfig.Builder config =
        GatewayTests.config(upstream.url())
            .limits(limits)
            .account(AccountResolver.header("X-Tenant"))
            .trustedProxies(TrustedProxies.of(List.of("10.0.0.1")))
            .route(
                GatewayRoute.create("POST /json")
                    .policy(HttpPolicy.create().fingerprint(FingerprintRule.json())));
    return Gateway.start(change.apply(config).build(), store);
  }

  @AfterAll
  static void stop() throws Exception {
    plain.close();
    encrypted.close();
    upstream.close();
  }

  private static HostileClient client(Port port, Protocol protocol) {
    Gateway gateway = protocol.isTls() ? encrypted : plain;
    int number =
        port == Port.ADMIN ? gateway.adminAddress().getPort() : gateway.address().getPort();
    return new HostileClient(protocol, number, certificate);
  }

  // The table

  private static final List<Attack> ATTACKS = new ArrayList<>();

  private static void on(Port port, Set<Protocol> protocols, String name, Action action) {
    for (Protocol protocol : spokenOn(port, protocols)) {
      ATTACKS.add(new Attack(name, port, EnumSet.of(protocol), action));
    }
  }

  private static void slow(Port port, String name, Action action) {
    ATTACKS.add(new Attack(name, port, spokenOn(port, ALL), action));
  }

  private static Set<Protocol> spokenOn(Port port, Set<Protocol> protocols) {
    Set<Protocol> spoken = EnumSet.copyOf(protocols);
    if (port == Port.ADMIN) {
      spoken.remove(Protocol.H2C);
    }
    return spoken;
  }

  private static void onBoth(Set<Protocol> protocols, String name, Action action) {
    on(Port.REQUESTS, protocols, name, action);
    on(Port.ADMIN, protocols, name, action);
  }

  static Stream<Attack> attacks() {
    ATTACKS.clear();
    upgrades();
    framing();
    methods();
    headers();
    sizes();
    floods();
    accounts();
    bodies();
    upstreams();
    slowness();
    return ATTACKS.stream();
  }

  private static void upgrades() {
    onBoth(
        HTTP_1,
        "upgrade to h2c is ignored",
        client -> {
          try (Wire wire = client.http1()) {
            wire.send(
                HostileClient.head(
                    "GET",
                    "/health/live",
                    "Connection",
                    "Upgrade, HTTP2-Settings",
                    "Upgrade",
                    "h2c",
                    "HTTP2-Settings",
                    "AAMAAABkAARAAAAAAAIAAAAA"));
            assertThat(wire.read().status()).isIn(200, 201);
            // The connection goes on with HTTP/1.1.
            wire.send(HostileClient.head("GET", "/health/live"));
            assertThat(wire.read().status()).isIn(200, 201);
          }
        });
    on(
        Port.ADMIN,
        EnumSet.of(Protocol.HTTP_1),
        "prior knowledge of HTTP/2 is not there",
        HostileClientTest::assertNoHttp2);
  }

  private static void assertNoHttp2(HostileClient client) throws IOException {
    try (Http2Wire wire = new Http2Wire(client.connect())) {
      client.begin(wire, "GET", "/health/live", true);
      assertThat(wire.isClosed()).isTrue();
    }
  }

  /** Requests that somebody behind the gateway could read in another way. */
  private static void framing() {
    refused(HTTP_2, "no authority", ":method", "GET", ":scheme", "http", ":path", "/x");
    refused(HTTP_2, "no path", ":method", "GET", ":scheme", "http", ":authority", "localhost");
    refused(HTTP_2, "an empty path", request("GET", ""));
    refused(HTTP_2, "a path without a slash", request("GET", "x"));
    refused(HTTP_2, "a star for GET", request("GET", "*"));
    refused(HTTP_2, "another host in the path", request("GET", "http://other/x"));
    refused(HTTP_2, "a line in the path", request("GET", "/x HTTP/1.1\r\nX: y"));
    refused(HTTP_2, "a space in the path", request("GET", "/x y"));
    refused(HTTP_2, "a line in the method", request("GET / HTTP/1.1\r\nX: y", "/x"));
    refused(HTTP_2, "a method that is no token", request("G(T", "/x"));
    refused(HTTP_2, "a tunnel", ":method", "CONNECT", ":authority", "localhost:443");
    refused(HTTP_2, "another scheme", with(":scheme", "ftp", ":method", "GET", ":path", "/x"));
    refused(HTTP_2, "two authorities", with(":authority", "other", request("GET", "/x")));
    refused(HTTP_2, "two paths", with(":path", "/y", request("GET", "/x")));
    refused(HTTP_2, "two methods", with(":method", "POST", request("GET", "/x")));
    refused(HTTP_2, "an unknown pseudo-header", with(":own", "x", request("GET", "/x")));
    refused(HTTP_2, "a status", with(":status", "200", request("GET", "/x")));
    for (String[] field :
        List.of(
            new String[] {":path", "/y"},
            new String[] {"host", "other"},
            new String[] {"connection", "close"},
            new String[] {"connection", "idempotency-key"},
            new String[] {"keep-alive", "5"},
            new String[] {"proxy-connection", "close"},
            new String[] {"transfer-encoding", "chunked"},
            new String[] {"upgrade", "h2c"},
            new String[] {"te", "gzip"},
            new String[] {"X-Upper", "x"},
            new String[] {"a b", "x"},
            new String[] {"a:b", "x"},
            new String[] {"", "x"},
            new String[] {"a\r\nb", "x"},
            new String[] {"x", "a\r\nDELETE /all HTTP/1.1"},
            new String[] {"x", "a\u0000b"},
            new String[] {"content-length", "1"},
            new String[] {"content-length", "+0"},
            new String[] {"content-length", "-1"})) {
      refused(HTTP_2, "the header " + shown(field), with(request("GET", "/x"), field));
    }
    refused(
        HTTP_2, "two hosts", with(request("GET", "/x"), "host", "localhost", "host", "localhost"));
    refused(
        HTTP_2,
        "two lengths",
        with(request("GET", "/x"), "content-length", "0", "content-length", "1"));
    onBoth(
        HTTP_2,
        "a body longer than its length",
        client -> assertLength(client, "1", "xDELETE /all HTTP/1.1\r\nHost: a\r\n\r\n"));
    onBoth(HTTP_2, "a body shorter than its length", client -> assertLength(client, "9", "x"));
    for (String wrong :
        List.of(
            "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 0\r\nContent-Length: 0\r\n",
            "Content-Length: +0\r\n",
            "Transfer-Encoding: xchunked\r\n",
            "Host: localhost\r\n",
            "X: a\r\n b\r\n",
            "X: a\0b\r\n",
            "Connection: Idempotency-Key\r\n",
            "Connection: close, authorization\r\n",
            "Connection: X_Forwarded_For\r\n",
            "Connection: Content-Length\r\n",
            "Connection: host\r\n",
            "Connection: Cookie\r\n")) {
      onBoth(
          HTTP_1,
          "the header " + shown(wrong),
          client -> {
            int before = upstream.asked().size();
            try (Wire wire = client.http1()) {
              wire.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n" + wrong + "\r\n");
              assertThat(wire.read().status()).isEqualTo(400);
              assertThat(wire.isClosed()).isTrue();
            }
            assertThat(upstream.asked()).hasSize(before);
          });
    }
  }

  private static void assertLength(HostileClient client, String length, String body)
      throws IOException {
    int before = upstream.asked().size();
    try (Http2Wire wire = client.http2()) {
      client.begin(wire, "POST", "/x", false, "content-length", length, "idempotency-key", "k");
      wire.data(1, true, HostileClient.bytes(body));
      assertThat(wire.read(1).status()).isIn(0, 400, 404);
    }
    assertThat(upstream.asked()).hasSize(before);
  }

  private static void refused(Set<Protocol> protocols, String name, String... fields) {
    onBoth(
        protocols,
        name,
        client -> {
          int before = upstream.asked().size();
          try (Http2Wire wire = client.http2()) {
            wire.headers(1, true, fields);
            assertThat(wire.read(1).status()).isIn(0, 400, 501);
          }
          assertThat(upstream.asked()).hasSize(before);
        });
  }

  private static String[] request(String method, String path) {
    return new String[] {
      ":method", method, ":scheme", "http", ":authority", "localhost", ":path", path
    };
  }

  private static String[] with(String[] fields, String... more) {
    return Stream.concat(Stream.of(fields), Stream.of(more)).toArray(String[]::new);
  }

  private static String[] with(String name, String value, String... fields) {
    return Stream.concat(Stream.of(name, value), Stream.of(fields)).toArray(String[]::new);
  }

  private static String shown(String... texts) {
    return String.join(": ", texts)
        .strip()
        .replace("\r", "\\r")
        .replace("\n", "\\n")
        .replace("\0", "\\0");
  }

  private static void methods() {
    for (String method : List.of("post", "Post", "get", "pATCH", "delete", "propfind")) {
      on(
          Port.REQUESTS,
          ALL,
          "the method " + method,
          client -> {
            Wire.Reply reply = client.call(method, "/payments", "idempotency-key", key());
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.problem()).isEqualTo("method-invalid");
          });
    }
    for (String method : List.of("FOO", "MKCOL", "MOVE", "POST", "PATCH")) {
      on(
          Port.REQUESTS,
          ALL,
          method + " without a key",
          client -> {
            Wire.Reply reply = client.call(method, "/payments");
            assertThat(reply.problem()).isEqualTo("key-missing");
          });
    }
    onBoth(ALL, "TRACE on the admin API", client -> client.call("TRACE", "/api/operations"));
  }

  private static void headers() {
    List<String> dropped =
        List.of(
            "x-http-method-override",
            "x-http-method",
            "x-method-override",
            "x_http_method_override",
            "x_forwarded_for",
            "x-forwarded_for",
            "x_real_ip",
            "proxy",
            "x-original-url",
            "x-rewrite-url",
            "x_original_url",
            "idempotency_key",
            "content_length",
            "transfer_encoding",
            "retrysafe_outcome");
    on(
        Port.REQUESTS,
        ALL,
        "headers that upstreams misread",
        client -> {
          List<String> sent = new ArrayList<>();
          dropped.forEach(name -> sent.addAll(List.of(name, "6")));
          String path = "/dropped/" + key();
          assertThat(client.call("GET", path, sent.toArray(new String[0])).status()).isEqualTo(201);
          Upstream.Asked asked =
              upstream.asked().stream()
                  .filter(each -> each.line().contains(path))
                  .findFirst()
                  .orElseThrow();
          for (String name : dropped) {
            assertThat(asked.all(name)).as(name).isEmpty();
          }
        });
  }

  private static void sizes() {
    onBoth(
        ALL,
        "a head of 100 KB",
        client -> {
          int before = upstream.asked().size();
          Wire.Reply reply = client.call("GET", "/health/live", "x", "y".repeat(100_000));
          assertThat(reply.status()).isIn(0, 431);
          assertThat(upstream.asked()).hasSize(before);
        });
    on(
        Port.REQUESTS,
        ALL,
        "a head below head-size",
        client ->
            assertThat(client.call("GET", "/x", "x", "y".repeat(20_000)).status()).isEqualTo(201));
    on(
        Port.ADMIN,
        ALL,
        "a body of 3 MiB without a token",
        client -> {
          for (String path : List.of("/health/live", "/metrics", "/api/operations")) {
            Wire.Reply reply = client.call("GET", path, new byte[3 << 20]);
            assertThat(reply.status()).as(path).isIn(0, 413, 401);
          }
        });
  }

  private static void floods() {
    onBoth(
        HTTP_1,
        "100 requests in a row",
        client -> {
          try (Wire wire = client.http1()) {
            wire.send(HostileClient.head("GET", "/health/live").repeat(100));
            for (int i = 0; i < 100; i++) {
              assertThat(wire.read().status()).isIn(200, 201);
            }
          }
        });
    onBoth(
        HTTP_2,
        "500 streams that are reset at once",
        client -> {
          try (Http2Wire wire = client.http2()) {
            for (int stream = 1; stream < 1000; stream += 2) {
              wire.headers(stream, true, request("GET", "/x")).reset(stream);
            }
          } catch (SocketException e) {
            // Cut off, as it should be.
          }
        });
    onBoth(
        HTTP_2,
        "5000 frames that ask for an answer",
        client -> {
          try (Http2Wire wire = client.http2()) {
            for (int i = 0; i < 2500; i++) {
              wire.frame(PING, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8).frame(SETTINGS, 0, 0);
            }
          } catch (SocketException e) {
            // Cut off, as it should be.
          }
        });
    onBoth(
        HTTP_2,
        "headers that never end",
        client -> {
          try (Http2Wire wire = client.http2()) {
            wire.frame(HEADERS, 0, 1, 0x82);
            for (int i = 0; i < 5000; i++) {
              wire.frame(CONTINUATION, 0, 1, 0, 1, 'x', 1, 'y');
            }
            assertThat(wire.isClosed()).isTrue();
          } catch (SocketException e) {
            // Cut off, as it should be.
          }
        });
    onBoth(
        HTTP_1,
        "noise",
        client -> {
          try (Wire wire = client.http1()) {
            wire.send("\u0000\u0001\u0002".repeat(20_000) + "\r\n\r\n");
            assertThat(wire.read().status()).isIn(400, 414);
          } catch (SocketException e) {
            // Cut off, as it should be.
          }
        });
  }

  private static void accounts() {
    for (String name : List.of("x-tenant", "X_Tenant", "x_tenant")) {
      on(
          Port.REQUESTS,
          name.equals("X_Tenant") ? HTTP_1 : ALL,
          "the account header " + name + " of a stranger",
          client -> {
            Wire.Reply reply =
                client.call("POST", "/payments", name, "victim", "idempotency-key", key());
            assertThat(reply.status()).isEqualTo(401);
            assertThat(reply.problem()).isEqualTo("account-refused");
          });
    }
    on(
        Port.REQUESTS,
        ALL,
        "matrix parameters under a known key",
        client -> {
          String key = key();
          assertThat(client.call("POST", "/payments", "idempotency-key", key).status())
              .isEqualTo(201);
          Wire.Reply other = client.call("POST", "/payments;to=bob", "idempotency-key", key);
          assertThat(other.problem()).isEqualTo("key-reused");
        });
  }

  private static void bodies() {
    String members = "{},".repeat(1 << 20);
    for (String bomb :
        List.of(
            "[" + members + "{}]",
            "[".repeat(1 << 20),
            "{\"a\":".repeat(200_000),
            "\"" + "\\u0000".repeat(500_000),
            "1".repeat(3 << 20))) {
      on(
          Port.REQUESTS,
          ALL,
          "JSON that begins with " + shown(bomb.substring(0, 12)),
          client -> {
            Wire.Reply reply =
                client.call(
                    "POST",
                    "/json",
                    HostileClient.bytes(bomb),
                    "idempotency-key",
                    key(),
                    "content-type",
                    "application/json");
            assertThat(reply.status()).as("%s", reply).isIn(201, 400, 413, 429);
          });
    }
  }

  private static void upstreams() {
    for (int status : List.of(42, 99, 600, 999)) {
      on(
          Port.REQUESTS,
          ALL,
          "an upstream that answers " + status,
          client -> {
            String path = "/status/" + status;
            assertThat(client.call("GET", path).problem()).isEqualTo("upstream-silent");
            String key = key();
            assertThat(client.call("POST", path, "idempotency-key", key).problem())
                .isEqualTo("upstream-silent");
            assertThat(client.call("POST", path, "idempotency-key", key).problem())
                .isEqualTo("outcome-unknown");
          });
    }
  }

  private static void slowness() {
    slow(Port.REQUESTS, "heads that do not end", HostileClientTest::slowHeads);
    slow(Port.ADMIN, "heads that do not end", HostileClientTest::slowHeads);
    slow(
        Port.REQUESTS,
        "guarded bodies that do not end",
        client -> slowBodies(client, "POST", 1, "idempotency-key", key()));
    slow(Port.REQUESTS, "passing bodies that do not end", client -> slowBodies(client, "PUT", 1));
    slow(
        Port.REQUESTS,
        "passing bodies that begin fast and do not end",
        client -> slowBodies(client, "PUT", PassingBody.ENOUGH));
    slow(
        Port.ADMIN,
        "bodies that do not end",
        client -> {
          try (Upload upload = new Upload(client, "GET", "/metrics", 1)) {
            assertThat(upload.status()).isIn(0, 408);
          }
        });
    slow(
        Port.REQUESTS,
        "a passing body that is fast enough and takes too long",
        client -> {
          try (Upload upload = new Upload(client, "PUT", "/slow", 2000)) {
            upload.trickle(2000, Duration.ofMillis(500), 30);
            assertThat(upload.status()).isIn(0, 408);
          }
        });
  }

  private static void slowHeads(HostileClient client) throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        Socket socket = client.connect();
        sockets.add(socket);
        if (client.protocol().isHttp2()) {
          Http2Wire unused = new Http2Wire(socket);
        } else {
          socket.getOutputStream().write(HostileClient.bytes("GET /x HTTP/1.1\r\nHost: l"));
        }
      }
      assertHonestClientIsServed(client.protocol());
      for (Socket socket : sockets) {
        assertClosed(socket);
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /** Many uploads that stop. Meanwhile requests pass, and find connections to the upstream. */
  private static void slowBodies(HostileClient client, String method, int first, String... headers)
      throws Exception {
    List<Upload> uploads = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        uploads.add(new Upload(client, method, "/slow", first, headers));
      }
      if (first < PassingBody.ENOUGH) {
        assertThat(client.call("GET", "/meanwhile").status()).isEqualTo(201);
        assertThat(upstream.connections()).isLessThanOrEqualTo(UPSTREAM_CONNECTIONS);
      }
      for (Upload upload : uploads) {
        assertThat(upload.status()).isIn(0, 408);
      }
    } finally {
      for (Upload upload : uploads) {
        upload.close();
      }
    }
  }

  /** A request whose body does not end, on a connection of its own. */
  private static final class Upload implements AutoCloseable {
    private final @Nullable Wire http1;
    private final @Nullable Http2Wire http2;

    Upload(HostileClient client, String method, String path, int first, String... headers)
        throws IOException {
      byte[] body = new byte[first];
      if (client.protocol().isHttp2()) {
        http1 = null;
        http2 = client.http2();
        client.begin(http2, method, path, false, headers);
        http2.data(1, false, body);
      } else {
        http2 = null;
        http1 = client.http1();
        String[] all = with(headers, "Content-Length", "1000000");
        http1.send(HostileClient.head(method, path, all)).send(body);
      }
    }

    /** Sends more now and then, until it cannot. */
    void trickle(int count, Duration every, int times) throws InterruptedException {
      try {
        for (int i = 0; i < times; i++) {
          Thread.sleep(every.toMillis());
          if (http2 != null) {
            http2.data(1, false, new byte[count]);
          } else if (http1 != null) {
            http1.send(new byte[count]);
          }
        }
      } catch (IOException e) {
        // Cut off, as it should be.
      }
    }

    /** Returns the status of the answer; 0 if there is none. */
    int status() throws IOException {
      if (http2 != null) {
        return http2.read(1).status();
      }
      try {
        return http1 == null ? 0 : http1.read().status();
      } catch (java.net.SocketTimeoutException e) {
        throw e;
      } catch (IOException e) {
        return 0;
      }
    }

    @Override
    public void close() throws IOException {
      if (http2 != null) {
        http2.close();
      }
      if (http1 != null) {
        http1.close();
      }
    }
  }

  private static void assertClosed(Socket socket) throws IOException {
    socket.setSoTimeout((int) PATIENCE.toMillis());
    try {
      while (socket.getInputStream().read() >= 0) {
        // What comes is not looked at.
      }
    } catch (java.net.SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      // Reset, which is as good.
    }
  }

  private static String key() {
    return UUID.randomUUID().toString();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("attacks")
  void isRefusedAndLeavesNothingBehind(Attack attack) throws Exception {
    attack.run();
    for (Protocol protocol : attack.protocols()) {
      assertHonestClientIsServed(protocol);
    }
    assertNothingIsLeft(plain);
    assertNothingIsLeft(encrypted);
  }

  /**
   * One operation and its replay, and the admin port. On a busy machine time-outs as short as those
   * of this test end a try or two.
   */
  private static void assertHonestClientIsServed(Protocol protocol) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        serve(protocol);
        return;
      } catch (AssertionError | IOException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
      }
    }
  }

  private static void serve(Protocol protocol) throws IOException {
    HostileClient honest = client(Port.REQUESTS, protocol);
    String key = key();
    byte[] body = HostileClient.bytes("{\"amount\":1}");
    Wire.Reply first = honest.call("POST", "/payments", body, "idempotency-key", key);
    Wire.Reply again = honest.call("POST", "/payments", body, "idempotency-key", key);
    assertThat(first.status()).as("%s", first).isEqualTo(201);
    assertThat(again.text()).isEqualTo(first.text()).startsWith("charge ");
    Protocol spoken = protocol == Protocol.H2C ? Protocol.HTTP_1 : protocol;
    assertThat(client(Port.ADMIN, spoken).call("GET", "/health/live").status()).isEqualTo(200);
  }

  private static void assertNothingIsLeft(Gateway gateway) throws Exception {
    Metrics metrics = gateway.metrics();
    eventually("connections", () -> metrics.connections().sum(), 0);
    eventually("requests", () -> metrics.open().get(), 0);
    eventually("running requests", () -> metrics.running().sum(), 0);
    eventually("memory of bodies", () -> metrics.bodies().held(), 0);
    eventually("memory of answers", () -> metrics.answers().held(), 0);
    eventually("threads", () -> Math.max(0, threads() - threads - MORE_THREADS), 0);
  }

  private static void eventually(String what, java.util.function.LongSupplier value, long expected)
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
            .count();
  }
}
