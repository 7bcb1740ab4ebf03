// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.store.OutcomeFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HexFormat;

/** Rows as the JDBC store leaves them on PostgreSQL, many at once, without the store. */
final class SettledRows {
  private SettledRows() {}

  /**
   * Adds rows.
   *
   * @param count how many
   * @param id an expression of bytes, in which {@code i} counts from one
   * @param expiry an expression of a time
   */
  static void insert(String url, long count, String id, String expiry) throws SQLException {
    Postgres.execute(
        url,
        "INSERT INTO retrysafe_entry (id, tenant, endpoint, key, fingerprint, token, phase, previous,"
            + " attempt, fence, status_code, created_at, completed_at, lease_until, expires_at, outcome)"
            + " SELECT %s, 'merchant_7', 'POST /payments', 'order-' || i, %s,"
                .formatted(id, literal(fingerprint()))
            + " substr(sha256(i::text::bytea), 9, 16), 3, 0, 1, 1, 201, now(), now(), now(), %s, %s"
                .formatted(expiry, literal(OutcomeFormat.write(Way.OUTCOME)))
            + " FROM generate_series(1, %d) i".formatted(count));
  }

  /** Brings the table to rest, so that nothing of the loading is left to do while measuring. */
  static void settle(String url) throws SQLException {
    Postgres.execute(url, "VACUUM ANALYZE retrysafe_entry");
    Postgres.execute(url, "CHECKPOINT");
  }

  /** As the store writes it: recipe, zero byte, digest. */
  static byte[] fingerprint() {
    byte[] recipe = Way.FINGERPRINT.recipe().getBytes(StandardCharsets.US_ASCII);
    byte[] digest = Way.FINGERPRINT.digest().toArray();
    return ByteBuffer.allocate(recipe.length + 1 + digest.length)
        .put(recipe)
        .put((byte) 0)
        .put(digest)
        .array();
  }

  private static String literal(byte[] bytes) {
    return "'\\x" + HexFormat.of().formatHex(bytes) + "'::bytea";
  }
}
