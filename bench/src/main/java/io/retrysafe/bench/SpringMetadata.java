// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.OperationKey;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.metadata.RedisMetadataStore;

/**
 * What Spring Integration has for consuming once: {@code putIfAbsent} of a String in one Redis hash
 * as a claim, {@code put} of the answer as its completion. It records no owner, no fingerprint, no
 * lease and no expiry: who crashes in between leaves the key claimed for ever.
 */
final class SpringMetadata implements Way {
  private static final String CLAIMED = "claimed";

  private final LettuceConnectionFactory connections;
  private final RedisMetadataStore store;

  SpringMetadata(int port) {
    this.connections =
        new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
    connections.afterPropertiesSet();
    connections.start();
    this.store = new RedisMetadataStore(connections);
  }

  @Override
  public Object call(OperationKey key) {
    String name = key.scope() + " " + key.value();
    String before = store.putIfAbsent(name, CLAIMED);
    if (before != null) {
      return before;
    }
    store.put(name, ANSWER);
    return ANSWER;
  }

  @Override
  public void close() {
    connections.destroy();
  }
}
