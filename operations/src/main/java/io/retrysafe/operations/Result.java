// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.util.Map;

/** What an operator gets to see. It renders itself, so that it looks the same everywhere. */
public interface Result {

  /** Returns it as maps, lists, strings, numbers and booleans; names are stable. */
  Map<String, Object> toMap();

  /** Returns it for people: lines of at most 80 columns where that can be, times in UTC. */
  String text();

  /** Returns it as JSON, on one line. */
  default String json() {
    return Json.write(toMap());
  }
}
