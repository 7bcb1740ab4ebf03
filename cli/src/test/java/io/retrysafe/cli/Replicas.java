// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retrysafe.gateway.Gateway;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.store.url.OpenStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Two gateways on one store, before a service that pays, keeps silent or takes its time. */
final class Replicas implements AutoCloseable {
  static final String OPERATOR = "operator-secret-1";
  static final String VIEWER = "viewer-secret-123";

  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final List<Gateway> gateways = new ArrayList<>();
  private final CountDownLatch go = new CountDownLatch(1);
  private final HttpClient client = HttpClient.newHttpClient();

  /** Starts two gateways, each on a store of its own that {@code stores} has. */
  Replicas(OpenStore first, OpenStore second) throws IOException {
    HttpServer service =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.setExecutor(Executors.newCachedThreadPool());
    service.createContext("/", this::serve);
    service.start();
    started.push(() -> service.stop(0));
    URI url = URI.create("http://127.0.0.1:" + service.getAddress().getPort());
    for (OpenStore store : List.of(first, second)) {
      started.push(store);
      GatewayConfig config =
          GatewayConfig.builder()
              .upstream("app", url)
              .listen(Listen.parse("127.0.0.1:0"))
              .admin(Listen.parse("127.0.0.1:0"))
              .tokens(new Tokens(OPERATOR, VIEWER))
              .name("gw-" + (gateways.size() + 1))
              .build();
      Gateway gateway = Gateway.start(config, store.store());
      gateways.add(gateway);
      started.push(gateway);
    }
    started.push(go::countDown);
  }

  private void serve(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    try {
      if (exchange.getRequestURI().getPath().startsWith("/silent")) {
        exchange.close();
        return;
      }
      if (exchange.getRequestURI().getPath().startsWith("/slow")) {
        go.await(30, TimeUnit.SECONDS);
      }
      byte[] body = "receipt 1".getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("X-Api-Key", "hush");
      exchange.sendResponseHeaders(201, body.length);
      exchange.getResponseBody().write(body);
      exchange.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends a payment through one of the gateways. */
  HttpResponse<String> pay(int gateway, String path, String key) throws Exception {
    return client.send(request(gateway, path, key), HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a payment and does not wait for its answer. */
  void payLater(int gateway, String path, String key) {
    var unused =
        client.sendAsync(request(gateway, path, key), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest request(int gateway, String path, String key) {
    int port = gateways.get(gateway - 1).address().getPort();
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .header("Idempotency-Key", key)
        .POST(HttpRequest.BodyPublishers.ofString("{}"))
        .build();
  }

  String admin(int gateway) {
    return "http://127.0.0.1:" + gateways.get(gateway - 1).adminAddress().getPort();
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
