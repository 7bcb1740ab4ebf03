// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a route is for: a method, or none for any, and a path such as {@code
 * /orders/{id}/capture} or {@code /admin/**}.
 */
public record RouteTemplate(@Nullable String method, List<String> segments, boolean isOpen) {

  /** Reads {@code POST /payments} or {@code /payments}. */
  public static RouteTemplate parse(String match) {
    String[] words = match.strip().split("\\s+", -1);
    String path = words[words.length - 1];
    if (words.length > 2 || !path.startsWith("/")) {
      throw new IllegalArgumentException(
          "a route is a method and a path, such as POST /payments/{id}, was \"" + match + '"');
    }
    boolean isOpen = path.endsWith("/**");
    String fixed = isOpen ? path.substring(0, path.length() - "/**".length()) : path;
    boolean isAny = words.length == 1 || words[0].equals("*");
    return new RouteTemplate(isAny ? null : words[0], segments(fixed), isOpen);
  }

  private static List<String> segments(String path) {
    if (path.isEmpty()) {
      return List.of();
    }
    return List.of(path.substring(1).split("/", -1)).stream()
        .map(part -> isVariable(part) ? "{}" : RequestPaths.normalised("/" + part).substring(1))
        .toList();
  }

  private static boolean isVariable(String part) {
    return part.length() > 2 && part.startsWith("{") && part.endsWith("}");
  }

  /** Returns the form in which two that match the same requests are equal. */
  public String canonical() {
    String path = segments.isEmpty() ? "" : "/" + String.join("/", segments);
    return (method == null ? "*" : method) + " " + path + (isOpen ? "/**" : "");
  }

  /** Returns whether a request with this method and normalised path is meant. */
  public boolean matches(String method, String path) {
    if (this.method != null && !this.method.equals(method)) {
      return false;
    }
    String[] parts = path.substring(1).split("/", -1);
    if (isOpen ? parts.length < segments.size() : parts.length != segments.size()) {
      return false;
    }
    for (int i = 0; i < segments.size(); i++) {
      String expected = segments.get(i);
      if (expected.equals("{}") ? parts[i].isEmpty() : !expected.equals(parts[i])) {
        return false;
      }
    }
    return true;
  }
}
