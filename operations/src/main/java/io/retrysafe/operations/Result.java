// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.internal.Json;
import java.util.Map;

/** A result for people and programs. It renders itself, so it looks the same everywhere. */
public interface Result {

  /** Returns the result as maps, lists, strings, numbers and booleans. Names are stable. */
  Map<String, Object> toMap();

  /** Returns the result for people: lines of at most 80 columns if possible, times in UTC. */
  String text();

  /** Returns the result as JSON, on one line. */
  default String json() {
    return Json.write(toMap());
  }
}
