// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.http.internal.json.JsonParser;
import io.retrysafe.http.internal.json.MalformedJsonException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Published test vectors, from the test resources. */
public final class Vectors {
  private Vectors() {}

  public static byte[] bytes(String path) {
    try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + path)) {
      if (in == null) {
        throw new IllegalStateException("no test resource " + path);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Json json(byte[] utf8) {
    try {
      return JsonParser.parse(utf8);
    } catch (MalformedJsonException e) {
      throw new IllegalArgumentException(e);
    }
  }

  public static List<Json> list(String path) {
    return ((Json.Elements) json(bytes(path))).list();
  }

  public static Map<String, Json> members(Json json) {
    return ((Json.Members) json).byName();
  }

  public static String text(Json json) {
    return ((Json.Text) json).text();
  }
}
