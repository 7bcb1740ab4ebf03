// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.retrysafe.OperationKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

/**
 * The least that can be done with Redis, on one connection of the same client: {@code SET NX PX} as
 * a claim, {@code SET PX} of the answer as its completion, {@code GET} for a retry. It has no
 * tokens, no fingerprints, no takeover and no list of what is unsettled.
 */
final class BareLettuce implements Way {
  private static final byte[] CLAIMED = new byte[16];
  private static final byte[] DONE = OUTCOME.body().toArray();
  private static final SetArgs CLAIM = SetArgs.Builder.nx().px(Duration.ofSeconds(30));
  private static final SetArgs COMPLETE = SetArgs.Builder.px(Duration.ofDays(1));

  /** A stalled machine shows as time, not as a failure. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> connection;

  BareLettuce(String url) {
    RedisURI uri = RedisURI.create(url);
    uri.setTimeout(PATIENCE);
    this.client = RedisClient.create(uri);
    this.connection = client.connect(ByteArrayCodec.INSTANCE);
  }

  @Override
  public Object call(OperationKey key) {
    byte[] name = name(key);
    try {
      return connection.async().set(name, CLAIMED, CLAIM).get() != null
          ? connection.async().set(name, DONE, COMPLETE).get()
          : connection.async().get(name).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** A retry and nothing else. */
  Object read(OperationKey key) {
    try {
      return connection.async().get(name(key)).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static byte[] name(OperationKey key) {
    return (key.scope() + " " + key.value()).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }
}
