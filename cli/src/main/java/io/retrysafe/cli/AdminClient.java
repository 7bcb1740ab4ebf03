// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.internal.Json;
import io.retrysafe.operations.ChangeRequest;
import io.retrysafe.operations.Result;
import io.retrysafe.operations.Verdict;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs commands through the admin API of a gateway, which also renders the results. */
final class AdminClient implements OperationsClient {
  private static final String JSON = "application/json";

  private final URI url;
  private final @Nullable String token;
  private final String accept;
  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  AdminClient(URI url, @Nullable String token, boolean wantsJson) {
    this.url = url;
    this.token = token;
    this.accept = wantsJson ? JSON : "text/plain";
  }

  /** A rendered result. */
  private record Printed(String body) implements Result {
    @Override
    public Map<String, Object> toMap() {
      return AdminClient.map(body);
    }

    @Override
    public String json() {
      return body.stripTrailing();
    }

    @Override
    public String text() {
      return body;
    }
  }

  @Override
  public Result list(Map<String, String> query) {
    return new Printed(get("/api/operations", query, accept));
  }

  @Override
  public Found find(Map<String, String> query) {
    Map<String, Object> page = map(get("/api/operations", query, JSON));
    List<Map<String, Object>> operations = new ArrayList<>();
    if (page.get("operations") instanceof List<?> list) {
      list.forEach(each -> operations.add(members(each)));
    }
    List<String> unreadable = new ArrayList<>();
    if (page.get("unreadable") instanceof List<?> list) {
      list.forEach(each -> unreadable.add(String.valueOf(members(each).get("problem"))));
    }
    Optional<String> next = Optional.ofNullable(page.get("next")).map(Object::toString);
    return new Found(operations, unreadable, next);
  }

  @Override
  public Result explain(Map<String, String> query) {
    return new Printed(get("/api/explain", query, accept));
  }

  @Override
  public Result show(String id) {
    return new Printed(get("/api/operations/" + id, Map.of(), accept));
  }

  @Override
  public Result answer(String id) {
    return new Printed(get("/api/operations/" + id + "/answer", Map.of(), accept));
  }

  @Override
  public Result resolve(String id, Verdict verdict, ChangeRequest request) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("outcome", verdict instanceof Verdict.Done ? "done" : "not_done");
    if (verdict instanceof Verdict.Done done) {
      body.put("status", done.status());
      body.put(
          "headers",
          done.headers().stream()
              .map(each -> Map.of("name", each.name(), "value", each.value()))
              .toList());
      body.put("body_base64", Base64.getEncoder().encodeToString(done.body().toArray()));
      body.put("retention", done.retention().toString());
    }
    return post("/api/operations/" + id + "/resolve", body, request);
  }

  @Override
  public Result forget(String id, ChangeRequest request) {
    return post("/api/operations/" + id + "/forget", new LinkedHashMap<>(), request);
  }

  private Result post(String path, Map<String, Object> body, ChangeRequest request) {
    body.put("actor", request.note().actor());
    body.put("reason", request.note().reason());
    request.fence().ifPresent(fence -> body.put("fence", fence));
    HttpRequest.Builder post =
        request(path, Map.of(), accept)
            .header("Content-Type", JSON)
            .POST(BodyPublishers.ofString(Json.write(body)));
    return new Printed(send(post.build()));
  }

  @Override
  public Result audit(Map<String, String> query) {
    return new Printed(get("/api/audit", query, accept));
  }

  /** Returns how the gateway guards its routes at present, all of them or one. */
  Result routes(Optional<String> route) {
    Map<String, String> query = route.map(match -> Map.of("route", match)).orElse(Map.of());
    return new Printed(get("/api/routes", query, accept));
  }

  @Override
  public Result stats() {
    return new Printed(get("/api/stats", Map.of(), accept));
  }

  @Override
  public Result sweep() {
    return new Printed(
        send(request("/api/sweep", Map.of(), accept).POST(BodyPublishers.noBody()).build()));
  }

  private String get(String path, Map<String, String> query, String type) {
    return send(request(path, query, type).GET().build());
  }

  private HttpRequest.Builder request(String path, Map<String, String> query, String type) {
    String parameters =
        query.entrySet().stream()
            .map(
                each ->
                    each.getKey()
                        + "="
                        + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url.resolve(path + (parameters.isEmpty() ? "" : "?" + parameters)))
            .timeout(Duration.ofSeconds(60))
            .header("Accept", type);
    return token == null ? request : request.header("Authorization", "Bearer " + token);
  }

  private String send(HttpRequest request) {
    try {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      if (response.statusCode() == 200) {
        return response.body();
      }
      throw new AdminException(response.statusCode(), detail(response));
    } catch (IOException e) {
      throw new AdminException(
          503, "the admin API at " + url + " cannot be reached: " + e.getClass().getSimpleName());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AdminException(503, "interrupted");
    }
  }

  private static String detail(HttpResponse<String> response) {
    try {
      return String.valueOf(map(response.body()).get("detail"));
    } catch (IllegalArgumentException e) {
      return "the admin API answered " + response.statusCode();
    }
  }

  private static Map<String, Object> map(String json) {
    return members(Json.object(json));
  }

  private static Map<String, Object> members(@Nullable Object value) {
    Map<String, Object> members = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach(
          (name, member) -> {
            if (member != null) {
              members.put(String.valueOf(name), member);
            }
          });
    }
    return members;
  }

  @Override
  public void close() {
    // The HTTP client of the JDK needs no closing.
  }
}
