// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.store.Store;
import io.retrysafe.store.testkit.PromiseTable;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.RedisServer;
import java.time.Duration;
import java.util.List;

/**
 * Two stores with connections of their own on the same servers, whose stored times can be shifted.
 */
final class RedisFixture implements StoreFixture {
  private static final String SHIFT =
      """
      local by = tonumber(ARGV[1])
      local function digits(number) return string.format('%.0f', number) end
      for _, key in ipairs(redis.call('KEYS', '*')) do
        if redis.call('TYPE', key).ok == 'zset' then
          for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
            redis.call('ZINCRBY', key, digits(-by), member)
          end
        else
          local entry = redis.call('HGET', key, 'entry')
          local head, created, lease, over = struct.unpack('>c30ddd', entry)
          redis.call('HSET', key, 'entry',
            struct.pack('>c30ddd', head, created - by, lease - by, over - by) .. string.sub(entry, 55))
          redis.call('PEXPIREAT', key, digits(math.ceil((over - by) / 1000)))
        end
      end
      """;

  private final RedisStore store;
  private final RedisStore second;
  private final List<RedisServer> servers;
  private final Runnable end;

  RedisFixture(String url, List<RedisServer> servers, Runnable end) {
    this.store = RedisStore.create(url);
    this.second = RedisStore.create(url);
    PromiseTable.declare(store.profile());
    this.servers = servers;
    this.end = end;
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Store secondClient() {
    return second;
  }

  @Override
  public void advance(Duration time) {
    for (RedisServer server : servers) {
      server.tell("EVAL", SHIFT, "0", Long.toString(time.toNanos() / 1000));
    }
  }

  @Override
  public void close() {
    store.close();
    second.close();
    end.run();
  }
}
