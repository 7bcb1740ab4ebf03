// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.http.HttpGuard;
import java.util.HashMap;
import java.util.Map;

/** Detects a route that repeats an earlier one and could never match. */
final class UniqueMatches {
  private final Map<String, SourceLocation> seen = new HashMap<>();

  void add(String match, SourceLocation location) {
    String normalised;
    try {
      normalised = HttpGuard.canonicalMatch(match);
    } catch (IllegalArgumentException e) {
      throw location.error("match: " + e.getMessage());
    }
    SourceLocation before = seen.putIfAbsent(normalised, location);
    if (before != null) {
      throw location.error("the route " + match + " is already set in line " + before.line());
    }
  }
}
