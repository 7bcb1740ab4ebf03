// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import io.retrysafe.store.Profile;
import io.retrysafe.store.Store;
import io.retrysafe.store.layered.LayeredStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store that was opened from its address, with all that has to be closed after it. */
public final class OpenStore implements AutoCloseable {
  /** The environment variable with the secret of shared near copies. */
  public static final String NEAR_SECRET = "RETRYSAFE_NEAR_SECRET";

  private final StoreUrl url;
  private final Store store;
  private final AutoCloseable end;

  OpenStore(StoreUrl url, Store store, AutoCloseable end) {
    this.url = url;
    this.store = store;
    this.end = end;
  }

  /** Opens a store with all defaults. See {@link StoreUrl#of} for addresses. */
  public static OpenStore create(String url) {
    return builder(url).build();
  }

  /** Returns a builder with all defaults. See {@link StoreUrl#of} for addresses. */
  public static Builder builder(String url) {
    return builder(StoreUrl.of(url));
  }

  /** Returns a builder with all defaults. */
  public static Builder builder(StoreUrl url) {
    return new Builder(url);
  }

  /** Returns the store, which has every capability; it ends with this. */
  public Store store() {
    return store;
  }

  /** Returns what the store promises. */
  public Profile profile() {
    return store.profile();
  }

  /** Returns where it is, in a form that may be printed. */
  public StoreUrl url() {
    return url;
  }

  /** Closes the store and its connections. */
  @Override
  public void close() {
    try {
      end.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("the store " + url + " did not close", e);
    }
  }

  /** Settings of an opened store. */
  public static final class Builder {
    final StoreUrl url;
    @Nullable Near near;
    Duration timeout = Duration.ofSeconds(2);
    Duration startWithin = Duration.ofSeconds(30);
    Duration unsettledRetention = Profile.DEFAULT_UNSETTLED_RETENTION;
    boolean appliesSchema;
    private @Nullable String nearSecret;
    private Duration nearTtl = Duration.ofMinutes(5);
    private UnaryOperator<@Nullable String> environment = System::getenv;

    private Builder(StoreUrl url) {
      this.url = url;
    }

    /**
     * Where copies of answers are kept in front of the store: {@code memory:64MB} (or any size) in
     * this process, or {@code redis://…}; none by default.
     */
    public Builder near(String near) {
      this.near = Near.of(near);
      return this;
    }

    /**
     * What near copies in Redis are sealed with, the same in all processes: at least 16 characters,
     * better 32 random ones. By default that of the environment variable {@value #NEAR_SECRET}.
     */
    public Builder nearSecret(String nearSecret) {
      this.nearSecret = nearSecret;
      return this;
    }

    /** How long a near copy lives at most, 5 minutes by default. */
    public Builder nearTtl(Duration nearTtl) {
      this.nearTtl = nearTtl;
      return this;
    }

    /** How long a call may take before it counts as not answered; 2 s by default. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** How long to try to reach the store at the start; 30 s by default. */
    public Builder startWithin(Duration startWithin) {
      this.startWithin = startWithin;
      return this;
    }

    /** How long unsettled entries live past their lease; 30 days by default. */
    public Builder unsettledRetention(Duration unsettledRetention) {
      this.unsettledRetention = unsettledRetention;
      return this;
    }

    /**
     * Whether to make tables that are missing; by default they are only checked, except in SQLite
     * files.
     */
    public Builder applySchema(boolean applySchema) {
      this.appliesSchema = applySchema;
      return this;
    }

    Builder environment(UnaryOperator<@Nullable String> environment) {
      this.environment = environment;
      return this;
    }

    /**
     * Connects, and checks what the store needs.
     *
     * @throws io.retrysafe.store.NoAnswerException if it was not there in time
     * @throws IllegalStateException if it is there but cannot be used as it is
     * @throws IllegalArgumentException if a setting is wrong or a driver is missing
     */
    public OpenStore build() {
      Optional<String> secret = secret();
      OpenStore record = new Opening(this).open();
      if (near == null) {
        return record;
      }
      try {
        LayeredStore.Builder layers = LayeredStore.builder(record.store, near.open());
        secret.ifPresent(each -> layers.secret(each.getBytes(StandardCharsets.UTF_8)));
        LayeredStore layered = layers.nearTtl(nearTtl).build();
        return new OpenStore(
            url,
            layered,
            () -> {
              layered.close();
              record.close();
            });
      } catch (RuntimeException e) {
        record.close();
        throw e;
      }
    }

    /** Asked for before anything is opened. */
    private Optional<String> secret() {
      if (near == null || !near.isShared()) {
        return Optional.ofNullable(nearSecret);
      }
      String secret = nearSecret == null ? environment.apply(NEAR_SECRET) : nearSecret;
      if (secret == null || secret.isEmpty()) {
        throw new IllegalArgumentException(
            "near copies in "
                + near.redis().orElseThrow()
                + " can be written by others: give a secret to seal them with, the same for all"
                + " processes, in "
                + NEAR_SECRET);
      }
      return Optional.of(secret);
    }
  }
}
