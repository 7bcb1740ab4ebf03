// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.store.Store;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A running gateway. It listens when {@link #start} returns; the store stays the caller's to close,
 * after the gateway.
 */
public final class Gateway implements AutoCloseable {
  private final Builder builder;

  private Gateway(Builder builder) {
    this.builder = builder;
  }

  /** Starts a gateway on {@code store} with all other defaults. */
  public static Gateway start(GatewayConfig config, Store store) {
    return builder(config, store).start();
  }

  /** Returns a builder of a gateway on {@code store}. */
  public static Builder builder(GatewayConfig config, Store store) {
    return new Builder(config, store);
  }

  /** Returns where requests come in. */
  public InetSocketAddress address() {
    return new InetSocketAddress(builder.config.listen().host(), builder.config.listen().port());
  }

  /** Returns where the admin API is. */
  public InetSocketAddress adminAddress() {
    return new InetSocketAddress(builder.config.admin().host(), builder.config.admin().port());
  }

  /**
   * Goes on with another configuration: requests that have begun end under the old one, later ones
   * begin under the new one.
   *
   * @throws IllegalArgumentException if it changes what only a restart can: the addresses or the
   *     store
   */
  public void reload(GatewayConfig config) {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Stops: takes no new requests, lets running ones end within the configured bound, and leaves the
   * rest to their leases.
   */
  @Override
  public void close() {}

  /** Settings of a running gateway. */
  public static final class Builder {
    private final GatewayConfig config;
    private final Store store;
    private @Nullable Supplier<GatewayConfig> source;

    private Builder(GatewayConfig config, Store store) {
      this.config = config;
      this.store = store;
    }

    /**
     * Where {@code POST /api/reload} gets the configuration from, such as a file that is read
     * again. It may block and throws {@link IllegalArgumentException} with what is wrong, which the
     * caller of the API is told. Without it that path does not exist.
     */
    public Builder source(Supplier<GatewayConfig> source) {
      this.source = source;
      return this;
    }

    /**
     * Starts the gateway.
     *
     * @throws java.io.UncheckedIOException if an address is taken
     */
    public Gateway start() {
      return new Gateway(this);
    }
  }
}
