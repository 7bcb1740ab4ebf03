// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Parts of JSON that must be there. */
final class JsonTree {
  private JsonTree() {}

  static Map<?, ?> map(@Nullable Object value) {
    return (Map<?, ?>) Objects.requireNonNull(value);
  }

  static List<?> list(@Nullable Object value) {
    return (List<?>) Objects.requireNonNull(value);
  }
}
