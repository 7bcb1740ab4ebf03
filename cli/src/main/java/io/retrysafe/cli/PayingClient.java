// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The client of the demo: sends a payment under one key and describes the answer. */
final class PayingClient {
  private static final Pattern TOLD = Pattern.compile("pay_[0-9]+|(?<=problem:)[a-z-]+");
  private static final String KEY = "order-1001";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  String pay(URI where, long cents) throws InterruptedException {
    return pay(where, cents, PATIENCE);
  }

  String pay(URI where, long cents, Duration patience) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(where.resolve("/payments"))
            .timeout(patience)
            .header("Idempotency-Key", KEY)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"amount\": " + cents + "}"))
            .build();
    try {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      Matcher told = TOLD.matcher(answer.body());
      boolean isReplay = answer.headers().firstValue("Idempotent-Replayed").isPresent();
      return answer.statusCode()
          + (told.find() ? " " + told.group() : "")
          + (isReplay ? ", replayed" : "");
    } catch (HttpTimeoutException e) {
      return "no answer in " + patience.toMillis() + " ms";
    } catch (IOException e) {
      return "connection lost";
    }
  }
}
