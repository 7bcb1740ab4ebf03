// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Store;
import io.retrysafe.store.testkit.PromiseTable;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.RedisServer;
import java.nio.charset.StandardCharsets;
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
        elseif redis.call('HEXISTS', key, 'entry') == 1 then
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
  public boolean damage(OperationKey key) {
    String entry = new String(EntryKeys.of("retrysafe", key).entry(), StandardCharsets.US_ASCII);
    String cut =
        """
        if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
        redis.call('HSET', KEYS[1], 'entry', string.sub(redis.call('HGET', KEYS[1], 'entry'), 1, 54) .. 'x')
        return 1
        """;
    return servers.stream().anyMatch(server -> isDamaged(server, cut, entry));
  }

  /** In a cluster the other servers refuse the key. */
  private static boolean isDamaged(RedisServer server, String cut, String entry) {
    try {
      return server.tell("EVAL", cut, "1", entry).equals("1");
    } catch (RuntimeException e) {
      return false;
    }
  }

  @Override
  public void close() {
    store.close();
    second.close();
    end.run();
  }
}
