// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.internal.admin.AdminServer;
import io.retrysafe.internal.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The document of the admin API, replies held against it, and what of it was seen. */
public final class AdminDocument {
  private final Map<?, ?> document;
  private final Map<String, Set<String>> seen = new TreeMap<>();

  private AdminDocument(Map<?, ?> document) {
    this.document = document;
  }

  /** Reads the document of this build. */
  public static AdminDocument read() {
    try (InputStream in = AdminServer.class.getResourceAsStream("openapi.json")) {
      return new AdminDocument(
          Json.object(new String(in.readAllBytes(), StandardCharsets.UTF_8).strip()));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A documented operation.
   *
   * @param method such as {@code GET}
   * @param path such as {@code /api/operations/{id}}
   * @param role open, viewer or operator
   * @param responses what it may answer, by status
   */
  public record Operation(String method, String path, String role, Map<?, ?> responses) {
    /** Returns method and path. */
    public String name() {
      return method + " " + path;
    }
  }

  /** Returns every documented operation. */
  public List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    JsonTree.map(document.get("paths"))
        .forEach(
            (path, methods) ->
                JsonTree.map(methods)
                    .forEach(
                        (method, operation) -> {
                          Map<?, ?> is = JsonTree.map(operation);
                          operations.add(
                              new Operation(
                                  String.valueOf(method).toUpperCase(Locale.ROOT),
                                  String.valueOf(path),
                                  is.containsKey("x-role")
                                      ? String.valueOf(is.get("x-role"))
                                      : "open",
                                  JsonTree.map(is.get("responses"))));
                        }));
    return operations;
  }

  /** Checks that status, type and body of a reply are documented. */
  void check(Operation operation, Wire.Reply reply) {
    String status = String.valueOf(reply.status());
    assertThat(operation.responses().containsKey(status))
        .as("%s may answer %s", operation.name(), reply)
        .isTrue();
    Map<?, ?> content =
        JsonTree.map(JsonTree.map(operation.responses().get(status)).get("content"));
    String type = reply.header("Content-Type").orElseThrow().replaceAll(";.*", "");
    assertThat(content.containsKey(type)).as("%s: %s", operation.name(), reply).isTrue();
    if (type.endsWith("json")) {
      Map<?, ?> components = JsonTree.map(document.get("components"));
      new JsonSchema(JsonTree.map(components.get("schemas")))
          .check(
              operation.name(),
              JsonTree.map(content.get(type)).get("schema"),
              Json.read(reply.text()));
    }
    saw(operation, status + " " + type);
  }

  private void saw(Operation operation, String what) {
    seen.computeIfAbsent(operation.name(), name -> new TreeSet<>()).add(what);
  }

  /** Checks that everything documented was seen. */
  void isWhole() {
    Map<String, Set<String>> declared = new TreeMap<>();
    for (Operation each : operations()) {
      each.responses()
          .forEach(
              (status, response) ->
                  JsonTree.map(JsonTree.map(response).get("content"))
                      .keySet()
                      .forEach(
                          type ->
                              declared
                                  .computeIfAbsent(each.name(), name -> new TreeSet<>())
                                  .add(status + " " + type)));
    }
    assertThat(seen).isEqualTo(declared);
  }
}
