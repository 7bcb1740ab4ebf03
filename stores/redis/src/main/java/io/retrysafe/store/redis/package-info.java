/**
 * Entries in Redis or Valkey. Start at {@link io.retrysafe.store.redis.RedisStore}; {@link
 * io.retrysafe.store.redis.RedisCopies} keeps near copies of another store's answers.
 */
@NullMarked
package io.retrysafe.store.redis;

import org.jspecify.annotations.NullMarked;
