// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.Decision;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A way to take an operation through a store: claimed and settled by the first call, answered by
 * later ones.
 */
interface Way extends AutoCloseable {
  Fingerprint FINGERPRINT = Fingerprint.ofText("EUR", "2500");
  String ANSWER = "receipt 4711 ".repeat(8);
  Outcome OUTCOME = Outcome.of(Bytes.utf8(ANSWER));

  Object call(OperationKey key);

  @Override
  default void close() {}

  /**
   * The store by itself. Its tokens are counted, not random: making good ones is part of what the
   * engine costs.
   */
  static Way bare(Store store) {
    Policy policy = Policy.create();
    AtomicLong tokens = new AtomicLong();
    return key -> {
      Token token = new Token(0, tokens.incrementAndGet());
      Claim claim = new Claim(key, FINGERPRINT, token, policy.lease(), TakeOver.NONE);
      ClaimResult result = store.claim(claim);
      return result instanceof ClaimResult.Granted
          ? store.complete(claim.owner(), OUTCOME, policy.retention())
          : result;
    };
  }

  /** The engine's primitive: begin, then complete through the handle. */
  static Way begin(Store store) {
    return begin(store, false);
  }

  /** The engine's primitive, with or without writing the history. */
  static Way begin(Store store, boolean history) {
    Retrysafe retrysafe = Retrysafe.builder(store).history(history).build();
    Policy policy = Policy.create();
    return new Way() {
      @Override
      public Object call(OperationKey key) {
        Decision decision = retrysafe.begin(key, FINGERPRINT, policy);
        return decision instanceof Decision.Granted granted
            ? granted.operation().complete(OUTCOME)
            : decision;
      }

      @Override
      public void close() {
        retrysafe.close();
      }
    };
  }

  /** The blocking convenience, which also encodes and decodes the answer. */
  static Way run(Store store) {
    Retrysafe retrysafe = Retrysafe.builder(store).history(false).build();
    Codec<String> codec = Codec.string();
    return new Way() {
      @Override
      public Object call(OperationKey key) {
        return retrysafe.run(key, FINGERPRINT, codec, operation -> ANSWER);
      }

      @Override
      public void close() {
        retrysafe.close();
      }
    };
  }
}
