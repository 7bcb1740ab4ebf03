// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.account;

import io.retrysafe.Bytes;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Store;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * The secret that all gateways on a store share: the configured one, or one that the store keeps.
 * The store also keeps a check value, an HMAC of a constant. A gateway with a different secret
 * would map the same caller to a different account and run completed operations again.
 */
public final class SharedSecret {
  /** The store's name for the secret, if no configuration sets one. */
  static final String KEPT = "gateway-secret";

  /** The store's name for the check value of the secret in use. */
  public static final String CHECK = "gateway-secret-check";

  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final Store store;
  private volatile @Nullable ServerSecret secret;

  /** Makes the secret of the gateways on a store, which is not known yet. */
  public SharedSecret(Store store) {
    this.store = store;
  }

  /** Returns the secret; null while it is not known. */
  public @Nullable ServerSecret get() {
    return secret;
  }

  /**
   * Learns the secret, if it is needed or configured and not known yet.
   *
   * @throws IllegalArgumentException if the configured secret differs from that of the other
   *     gateways, or there is none
   */
  public void learn(@Nullable ServerSecret configured, boolean isNeeded) {
    if ((isNeeded || configured != null) && secret == null) {
      secret = agreed(configured, store);
    }
  }

  /**
   * Returns the secret of the gateways on {@code store}.
   *
   * @throws IllegalArgumentException if the configured secret differs from theirs, or there is none
   */
  private static ServerSecret agreed(@Nullable ServerSecret configured, Store store) {
    Secrets secrets = store.capability(Secrets.class).orElse(null);
    if (secrets == null) {
      if (configured == null) {
        throw new IllegalArgumentException(
            "there is no secret to derive accounts with, and the store "
                + store.profile().name()
                + " keeps none: set secret-file or RETRYSAFE_SECRET");
      }
      LOG.log(
          System.Logger.Level.WARNING,
          "the store {0} keeps no secrets: make sure that all gateways have the same one",
          store.profile().name());
      return configured;
    }
    ServerSecret secret = configured == null ? kept(secrets) : configured;
    byte[] check = Bytes.utf8(secret.digest("check", "")).toArray();
    if (!MessageDigest.isEqual(secrets.keep(CHECK, Bytes.wrap(check)).toArray(), check)) {
      throw new IllegalArgumentException(
          "the secret of this gateway ("
              + (configured == null ? "kept in the store" : "secret-file or RETRYSAFE_SECRET")
              + ") is not the one that is in use on this store: give all gateways the same"
              + " secret-file or RETRYSAFE_SECRET");
    }
    return secret;
  }

  private static ServerSecret kept(Secrets secrets) {
    return ServerSecret.of(secrets.keep(KEPT, Bytes.wrap(ServerSecret.randomBytes())).toArray());
  }
}
