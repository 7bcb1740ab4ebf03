// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the engine and its store. Those of the HTTP rules, {@code retrysafe.retention} for
 * example, are read by {@link PolicyProperties}.
 *
 * @param enabled Whether Retrysafe is used at all
 * @param store Where operations are recorded
 * @param name What histories call this process; spring.application.name by default
 * @param storeDeadline How long a caller waits for the store
 * @param pendingMemory How much outcomes may take that a silent store has not recorded yet
 * @param sweepEvery How often expired entries are removed
 * @param unsettledRetention How long unsettled entries live past their lease
 * @param filterOrder Order of the filter; just after Spring Security by default
 * @param jdbc The store in a database
 * @param redis The store, or the near copies, in Redis
 * @param layered Near copies before a database
 */
@ConfigurationProperties("retrysafe")
public record RetrysafeProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("auto") StoreKind store,
    @Nullable String name,
    @DefaultValue("2s") Duration storeDeadline,
    @Nullable DataSize pendingMemory,
    @DefaultValue("1m") Duration sweepEvery,
    @DefaultValue("30d") Duration unsettledRetention,
    @Nullable Integer filterOrder,
    @DefaultValue Jdbc jdbc,
    @DefaultValue Redis redis,
    @DefaultValue Layered layered) {

  /** Where operations are recorded. */
  public enum StoreKind {
    /** In the database of the application's DataSource; else in its Redis. */
    AUTO,
    JDBC,
    REDIS,
    LAYERED,
    MEMORY
  }

  /** When the tables are made. */
  public enum SchemaMode {
    ALWAYS,
    /** Only in SQLite files. */
    EMBEDDED,
    NEVER
  }

  /** Where near copies are. */
  public enum Near {
    MEMORY,
    REDIS
  }

  /**
   * The store in a database.
   *
   * @param initializeSchema When the tables are made
   * @param lanes How many batches may be under way at once, each on its own connection
   * @param connections How many connections calls that go out alone may use
   * @param timeout How long a call may take before it counts as not answered
   */
  public record Jdbc(
      @DefaultValue("embedded") SchemaMode initializeSchema,
      @DefaultValue("2") int lanes,
      @DefaultValue("4") int connections,
      @DefaultValue("2s") Duration timeout) {}

  /**
   * The store in Redis.
   *
   * @param url Address; that of the application's own client by default
   * @param namespace What all keys begin with
   * @param timeout How long a call may take before it counts as not answered
   */
  public record Redis(
      @Nullable String url,
      @DefaultValue("retrysafe") String namespace,
      @DefaultValue("2s") Duration timeout) {}

  /**
   * Near copies before a database.
   *
   * @param near Where near copies are
   * @param memory How much memory near copies may take
   * @param secret What near copies in Redis are sealed with; the same in all processes
   * @param nearTtl How long a near copy lives at most
   */
  public record Layered(
      @DefaultValue("memory") Near near,
      @DefaultValue("64MB") DataSize memory,
      @Nullable String secret,
      @DefaultValue("5m") Duration nearTtl) {

    /** Does not show the secret. */
    @Override
    public String toString() {
      return "layered, near " + near;
    }
  }
}
