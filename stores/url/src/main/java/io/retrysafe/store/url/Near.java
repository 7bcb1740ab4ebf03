// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import io.retrysafe.store.NearCopies;
import io.retrysafe.store.layered.MemoryCopies;
import io.retrysafe.store.redis.RedisCopies;
import java.util.Optional;

/**
 * Where near copies are kept: {@code memory:64MB} or an address of Redis.
 *
 * @param bytes how many of this process; for Redis none
 * @param redis the address; for memory none
 */
record Near(long bytes, Optional<StoreUrl> redis) {
  private static final String MEMORY = "memory:";

  static Near of(String url) {
    if (url.startsWith(MEMORY)) {
      return new Near(Size.bytes(url.substring(MEMORY.length())), Optional.empty());
    }
    StoreUrl parsed = StoreUrl.of(url);
    if (parsed.kind() != Kind.REDIS) {
      throw new IllegalArgumentException(
          "near copies are kept in memory:64MB (any size) or redis://…, not in " + parsed);
    }
    return new Near(0, Optional.of(parsed));
  }

  boolean isShared() {
    return redis.isPresent();
  }

  NearCopies open() {
    return redis
        .<NearCopies>map(url -> RedisCopies.create(url.secret()))
        .orElseGet(() -> MemoryCopies.create(bytes));
  }
}
