// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.HttpGuard;
import java.util.HashMap;
import java.util.Map;

/** What the routes so far match, so that one that could never match is found. */
final class Matches {
  private final Map<String, Place> seen = new HashMap<>();

  void add(String match, Place place) {
    String normalised;
    try {
      normalised = HttpGuard.canonicalMatch(match);
    } catch (IllegalArgumentException e) {
      throw place.error("match: " + e.getMessage());
    }
    Place before = seen.putIfAbsent(normalised, place);
    if (before != null) {
      throw place.error("the route " + match + " is there already, in line " + before.line());
    }
  }
}
