// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Values of a statement's parameters, by name. */
final class Parameters {
  private final Map<String, Value> values = new HashMap<>();

  /** One value; it knows its type. */
  interface Value {
    void set(PreparedStatement statement, int index) throws SQLException;
  }

  Parameters bytes(String name, byte @Nullable [] value) {
    return put(
        name,
        (statement, index) -> {
          if (value == null) {
            statement.setNull(index, Types.VARBINARY);
          } else {
            statement.setBytes(index, value);
          }
        });
  }

  Parameters text(String name, @Nullable String value) {
    return put(name, (statement, index) -> statement.setString(index, value));
  }

  Parameters number(String name, long value) {
    return put(name, (statement, index) -> statement.setLong(index, value));
  }

  Parameters integer(String name, int value) {
    return put(name, (statement, index) -> statement.setInt(index, value));
  }

  /** A number that is asked for only when the statement is about to go out. */
  Parameters late(String name, LongSupplier value) {
    return put(name, (statement, index) -> statement.setLong(index, value.getAsLong()));
  }

  /** An array of any element type that the driver maps to an SQL array. */
  Parameters array(String name, Object elements) {
    return put(name, (statement, index) -> statement.setObject(index, elements));
  }

  Value value(String name) {
    Value value = values.get(name);
    if (value == null) {
      throw new IllegalStateException("the statement's parameter " + name + " was not set");
    }
    return value;
  }

  private Parameters put(String name, Value value) {
    values.put(name, value);
    return this;
  }
}
