// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Published test vectors, from the test resources. */
final class Vectors {
  private Vectors() {}

  static byte[] bytes(String path) {
    try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + path)) {
      if (in == null) {
        throw new IllegalStateException("no test resource " + path);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Json json(byte[] utf8) {
    try {
      return JsonParser.parse(utf8);
    } catch (MalformedJsonException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static List<Json> list(String path) {
    return ((Json.Elements) json(bytes(path))).list();
  }

  static Map<String, Json> members(Json json) {
    return ((Json.Members) json).byName();
  }

  static String text(Json json) {
    return ((Json.Text) json).text();
  }
}
