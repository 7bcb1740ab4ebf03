// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.gateway.Gateway;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.store.Profile;
import io.retrysafe.store.url.OpenStore;
import io.retrysafe.store.url.StoreUrl;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A gateway and its store, which are closed together. */
final class RunningGateway implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final Duration START_WITHIN = Duration.ofSeconds(30);
  private static final Duration TELL_AFTER = Duration.ofSeconds(1);

  private final GatewayConfig config;
  private final OpenStore store;
  private final Gateway gateway;

  private RunningGateway(GatewayConfig config, OpenStore store, Gateway gateway) {
    this.config = config;
    this.store = store;
    this.gateway = gateway;
  }

  /**
   * Opens the store and starts the gateway.
   *
   * @param source supplies the configuration at a reload
   */
  static RunningGateway start(GatewayConfig config, Supplier<GatewayConfig> source) {
    OpenStore.Builder opening =
        OpenStore.builder(config.store()).unsettledRetention(unsettledRetention(config));
    String near = config.near();
    if (near != null) {
      opening.near(near);
    }
    OpenStore store = open(opening, StoreUrl.of(config.store()));
    try {
      Gateway gateway = Gateway.builder(config, store.store()).source(source).start();
      return new RunningGateway(config, store, gateway);
    } catch (UncheckedIOException e) {
      store.close();
      throw new IllegalStateException(told(e), e);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Opens the store. If that takes long, logs it: the gateway starts only afterwards. */
  private static OpenStore open(OpenStore.Builder opening, StoreUrl url) {
    CountDownLatch opened = new CountDownLatch(1);
    Thread telling =
        new Thread(
            () -> {
              try {
                if (!opened.await(TELL_AFTER.toMillis(), TimeUnit.MILLISECONDS)) {
                  LOG.log(
                      System.Logger.Level.WARNING,
                      "the store {0} does not answer yet; retrying for {1}s",
                      url,
                      START_WITHIN.toSeconds());
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "retrysafe-telling");
    telling.setDaemon(true);
    telling.start();
    try {
      return opening.startWithin(START_WITHIN).build();
    } finally {
      opened.countDown();
    }
  }

  /**
   * Unsettled entries must outlive the longest retention, or a retry could run a settled operation.
   */
  private static Duration unsettledRetention(GatewayConfig config) {
    Duration longest = retention(config.policy());
    for (GatewayRoute route : config.routes()) {
      Duration here = retention(route.policy());
      longest = here.compareTo(longest) > 0 ? here : longest;
    }
    Duration standard = Profile.DEFAULT_UNSETTLED_RETENTION;
    return longest.compareTo(standard) > 0 ? longest : standard;
  }

  private static Duration retention(HttpPolicy policy) {
    return (Duration) policy.get(Settings.named("retention"));
  }

  /** Socket libraries phrase the error differently and add class names. */
  private static String told(UncheckedIOException failure) {
    String message = String.valueOf(failure.getMessage()).replaceFirst("^[\\w.]+IOException: ", "");
    return message.contains("Address already in use")
        ? message.split(": ", 2)[0] + ": the port is in use by another program"
        : message;
  }

  URI url() {
    return url(config.listen(), gateway.address());
  }

  URI adminUrl() {
    return url(config.admin(), gateway.adminAddress());
  }

  private static URI url(Listen listen, InetSocketAddress address) {
    Listen actual = new Listen(listen.host(), address.getPort(), null);
    return URI.create((listen.tls() == null ? "http://" : "https://") + actual);
  }

  @Override
  public void close() {
    try {
      gateway.close();
    } finally {
      store.close();
    }
  }
}
