// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A running application on a free port of the loopback address, and a client of it. */
final class App implements AutoCloseable {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  private final ConfigurableApplicationContext context;

  private App(ConfigurableApplicationContext context) {
    this.context = context;
  }

  static App start(Class<?> application, String... properties) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "server.port=0",
                "server.address=127.0.0.1",
                "spring.main.banner-mode=off",
                "logging.level.root=warn"));
    all.addAll(Arrays.asList(properties));
    return new App(
        new SpringApplicationBuilder(application).properties(all.toArray(new String[0])).run());
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  private int port() {
    return context instanceof WebServerApplicationContext web && web.getWebServer() != null
        ? web.getWebServer().getPort()
        : -1;
  }

  static String freshKey() {
    return UUID.randomUUID().toString();
  }

  HttpResponse<String> post(String user, String path, String key, String body) {
    return send(
        request(path)
            .header("Authorization", basic(user))
            .header("Idempotency-Key", key)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build());
  }

  HttpResponse<String> get(String path) {
    return send(request(path).GET().build());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .timeout(Duration.ofMinutes(2));
  }

  HttpResponse<String> send(HttpRequest request) {
    try {
      return CLIENT.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static String basic(String user) {
    byte[] text = (user + ":secret").getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(text);
  }

  static boolean isReplay(HttpResponse<String> response) {
    return response.headers().firstValue("Idempotent-Replayed").isPresent();
  }

  @Override
  public void close() {
    context.close();
  }
}
