// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A payments service in its own process, which can be killed. It charges at a bank. */
final class PaymentsProcess implements AutoCloseable {
  private static final long SOON = 30;
  private static final Pattern PAYMENT = Pattern.compile("pay_[0-9]+");

  private final Process process;
  private final int port;

  private PaymentsProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts a service.
   *
   * @param port 0 for any that is free
   * @param bank where it charges
   * @param stalls whether it answers nothing after it charged
   */
  static PaymentsProcess start(int port, URI bank, boolean stalls)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PaymentsProcess.class.getName(),
                Integer.toString(port),
                bank.toString(),
                Boolean.toString(stalls))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      BufferedReader said =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = CompletableFuture.supplyAsync(() -> line(said)).get(SOON, TimeUnit.SECONDS);
      return new PaymentsProcess(process, Integer.parseInt(line));
    } catch (ExecutionException | TimeoutException | NumberFormatException e) {
      process.destroyForcibly();
      throw new IOException("the payments service did not start in a process of its own", e);
    }
  }

  private static String line(BufferedReader from) {
    try {
      return String.valueOf(from.readLine());
    } catch (IOException e) {
      return "";
    }
  }

  int port() {
    return port;
  }

  /** Kills the process, as kill -9 does. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(SOON, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the service: prints its port, and exits with the process that started it. */
  public static void main(String[] args) throws IOException {
    HttpClient client = HttpClient.newHttpClient();
    URI bank = URI.create(args[1]).resolve("/payments");
    boolean stalls = Boolean.parseBoolean(args[2]);
    PaymentsService service =
        PaymentsService.start(
            Integer.parseInt(args[0]),
            new Ledger(),
            amount -> {
              HttpRequest charge =
                  HttpRequest.newBuilder(bank)
                      .timeout(Duration.ofSeconds(SOON))
                      .POST(HttpRequest.BodyPublishers.ofString("{\"amount\":" + amount + "}"))
                      .build();
              String told = client.send(charge, HttpResponse.BodyHandlers.ofString()).body();
              if (stalls) {
                Thread.sleep(TimeUnit.SECONDS.toMillis(2 * SOON));
              }
              Matcher payment = PAYMENT.matcher(told);
              return payment.find() ? payment.group() : "unknown";
            });
    System.out.println(service.url().getPort());
    System.out.flush();
    while (System.in.read() >= 0) {
      // Nothing is said to it.
    }
    System.exit(0);
  }
}
