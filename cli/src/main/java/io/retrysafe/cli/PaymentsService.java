// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A payments service without keys and without a check for duplicates: {@code POST /payments}
 * charges, {@code GET /payments} returns the number of charges.
 */
final class PaymentsService implements AutoCloseable {
  private static final Pattern AMOUNT = Pattern.compile("\"amount\"\\s*:\\s*([0-9]{1,9})");

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "payments");
            thread.setDaemon(true);
            return thread;
          });
  private final Charging charging;
  private final Ledger ledger;

  /** Makes a payment. */
  interface Charging {
    /** Charges and returns the id of the payment. */
    String charge(long amount) throws Exception;
  }

  private PaymentsService(HttpServer server, Ledger ledger, Charging charging) {
    this.server = server;
    this.ledger = ledger;
    this.charging = charging;
    server.createContext("/payments", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  /**
   * Starts a service on loopback.
   *
   * @param port 0 for any that is free
   * @param ledger the charges that GET counts
   */
  static PaymentsService start(int port, Ledger ledger, Charging charging) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    return new PaymentsService(HttpServer.create(address, 50), ledger, charging);
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      if (exchange.getRequestMethod().equals("GET")) {
        answer(exchange, 200, "\"charges\":" + ledger.charges() + ",\"cents\":" + ledger.cents());
        return;
      }
      Matcher amount = AMOUNT.matcher(body);
      if (!exchange.getRequestMethod().equals("POST") || !amount.find()) {
        answer(exchange, 400, "\"error\":\"POST an amount, such as {\\\"amount\\\": 2500}\"");
        return;
      }
      long cents = Long.parseLong(amount.group(1));
      String payment = charging.charge(cents);
      answer(exchange, 201, "\"payment\":\"" + payment + "\",\"amount\":" + cents);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static void answer(HttpExchange exchange, int status, String members) throws IOException {
    byte[] bytes = ("{" + members + "}\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
