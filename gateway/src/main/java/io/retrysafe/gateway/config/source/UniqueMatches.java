// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.http.HttpGuard;
import java.util.HashMap;
import java.util.Map;

/** What the routes so far match, so that one that could never match is found. */
final class UniqueMatches {
  private final Map<String, SourceLocation> seen = new HashMap<>();

  void add(String match, SourceLocation place) {
    String normalised;
    try {
      normalised = HttpGuard.canonicalMatch(match);
    } catch (IllegalArgumentException e) {
      throw place.error("match: " + e.getMessage());
    }
    SourceLocation before = seen.putIfAbsent(normalised, place);
    if (before != null) {
      throw place.error("the route " + match + " is there already, in line " + before.line());
    }
  }
}
