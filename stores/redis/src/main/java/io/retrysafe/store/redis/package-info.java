/** Entries in Redis or Valkey. Start at {@link io.retrysafe.store.redis.RedisStore}. */
@NullMarked
package io.retrysafe.store.redis;

import org.jspecify.annotations.NullMarked;
