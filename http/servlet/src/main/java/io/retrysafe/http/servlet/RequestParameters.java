// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a request, those of the query first. */
final class RequestParameters {
  private final Map<String, List<String>> values = new LinkedHashMap<>();

  void add(String name, String value) {
    values.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
  }

  /** Adds {@code a=1&b=2}; what is not well encoded is left out, as containers do. */
  void addEncoded(@Nullable String text, Charset charset) {
    if (text == null) {
      return;
    }
    for (String pair : text.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      String value = equals < 0 ? "" : pair.substring(equals + 1);
      if (!pair.isEmpty()) {
        try {
          add(URLDecoder.decode(name, charset), URLDecoder.decode(value, charset));
        } catch (IllegalArgumentException e) {
          // Malformed percent-encoding.
        }
      }
    }
  }

  Map<String, String[]> toMap() {
    Map<String, String[]> map = new LinkedHashMap<>();
    values.forEach((name, list) -> map.put(name, list.toArray(new String[0])));
    return Collections.unmodifiableMap(map);
  }
}
