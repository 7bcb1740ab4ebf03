// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What configuration metadata says of the properties that are bound to records. */
final class ComponentDocs {
  private static final String TEXT = "java.lang.String";
  private static final String TIME = "java.time.Duration";
  private static final String COUNT = "java.lang.Integer";

  /** A property. */
  record Doc(String name, String type, String text, String standard) {}

  static final List<Doc> ALL =
      List.of(
          new Doc("enabled", "java.lang.Boolean", "Whether Retrysafe is used at all.", "true"),
          new Doc(
              "store",
              "io.retrysafe.spring.internal.properties.RetrysafeProperties$StoreKind",
              "Where operations are recorded; auto is the DataSource, else Redis.",
              "auto"),
          new Doc(
              "name",
              TEXT,
              "What histories call this process; spring.application.name by default.",
              ""),
          new Doc("store-deadline", TIME, "How long a caller waits for the store.", "2s"),
          new Doc(
              "pending-memory",
              "org.springframework.util.unit.DataSize",
              "How much outcomes may take that a silent store has not recorded yet; 64MB, at most an"
                  + " eighth of the heap, by default.",
              ""),
          new Doc("sweep-every", TIME, "How often expired entries are removed.", "1m"),
          new Doc(
              "unsettled-retention",
              TIME,
              "How long unsettled entries live past their lease.",
              "30d"),
          new Doc(
              "filter-order",
              COUNT,
              "Order of the filter; ten after that of Spring Security by default.",
              ""),
          new Doc(
              "jdbc.initialize-schema",
              "io.retrysafe.spring.internal.properties.RetrysafeProperties$SchemaMode",
              "When the tables are made; embedded is only in SQLite files.",
              "embedded"),
          new Doc(
              "jdbc.lanes",
              COUNT,
              "How many batches may be under way at once, each on its own connection.",
              "2"),
          new Doc(
              "jdbc.connections",
              COUNT,
              "How many connections calls that go out alone may use.",
              "4"),
          new Doc(
              "jdbc.timeout", TIME, "How long a call may take before it is not answered.", "2s"),
          new Doc(
              "redis.url", TEXT, "Address; that of the application's own client by default.", ""),
          new Doc("redis.namespace", TEXT, "What all keys begin with.", "retrysafe"),
          new Doc(
              "redis.timeout", TIME, "How long a call may take before it is not answered.", "2s"),
          new Doc(
              "layered.near",
              "io.retrysafe.spring.internal.properties.RetrysafeProperties$Near",
              "Where near copies are.",
              "memory"),
          new Doc(
              "layered.memory",
              "org.springframework.util.unit.DataSize",
              "How much memory near copies may take.",
              "64MB"),
          new Doc(
              "layered.secret",
              TEXT,
              "What near copies in Redis are sealed with; the same in all processes.",
              ""),
          new Doc("layered.near-ttl", TIME, "How long a near copy lives at most.", "5m"));

  private ComponentDocs() {}

  /** Returns the names of all properties of a record. */
  static List<String> names(Class<?> type, String prefix) {
    List<String> names = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      String name =
          prefix + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      if (component.getType().isRecord()) {
        names.addAll(names(component.getType(), name + "."));
      } else {
        names.add(name);
      }
    }
    return names;
  }
}
