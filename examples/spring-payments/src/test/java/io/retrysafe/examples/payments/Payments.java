// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.payments;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The application as a process of its own, and a client of it. */
final class Payments implements AutoCloseable {
  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
  private static final String MERCHANT =
      "Basic "
          + Base64.getEncoder()
              .encodeToString("merchant_7:secret".getBytes(StandardCharsets.UTF_8));

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private final int port;

  private Payments(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static Payments start(String database) {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            PaymentsApplication.class.getName(),
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--retrysafe.lease=2s");
    builder.environment().put("PAYMENTS_DB", database);
    builder.redirectErrorStream(true);
    try {
      Process process = builder.start();
      return new Payments(process, port(process));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what the process says until it says its port, and goes on reading in the background. */
  private static int port(Process process) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    StringBuilder said = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      said.append(line).append('\n');
      Matcher port = PORT.matcher(line);
      if (port.find()) {
        Thread reader = new Thread(() -> out.lines().forEach(ignored -> {}));
        reader.setDaemon(true);
        reader.start();
        return Integer.parseInt(port.group(1));
      }
    }
    process.destroyForcibly();
    throw new IllegalStateException("the application did not start:\n" + said);
  }

  CompletableFuture<HttpResponse<String>> pay(String key, String body, String trouble) {
    return pay(key, body, trouble, Duration.ofSeconds(30));
  }

  CompletableFuture<HttpResponse<String>> pay(
      String key, String body, String trouble, Duration timeout) {
    HttpRequest.Builder request =
        request("/payments")
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString(body));
    if (!trouble.isEmpty()) {
      request.header("X-Trouble", trouble);
    }
    return client.sendAsync(request.build(), BodyHandlers.ofString());
  }

  /** Pays until the answer says no longer that one should come back. */
  HttpResponse<String> settled(String key, String body) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    HttpResponse<String> response = pay(key, body, "").join();
    while (response.body().contains("\"retryable\":true") && System.nanoTime() < deadline) {
      LockSupport.parkNanos(100_000_000);
      response = pay(key, body, "").join();
    }
    return response;
  }

  long count() {
    HttpRequest request = request("/payments/count").GET().build();
    String text = client.sendAsync(request, BodyHandlers.ofString()).join().body();
    return Long.parseLong(text);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(30))
        .header("Authorization", MERCHANT);
  }

  void awaitEnd() {
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the application did not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    awaitEnd();
  }
}
