// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.InProgressException;
import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.store.MemoryStore;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/** What receives a copy of Anna's payment and answers it. */
interface Shop extends AutoCloseable {
  long PRICE = 2500;

  /** Handles one copy of the request and says, for people, what became of it. */
  String pay() throws InterruptedException;

  @Override
  default void close() {}

  /** Returns a shop that charges for every request that reaches it. */
  static Shop naive(Bank bank) {
    return () -> "charged, " + bank.charge(PRICE);
  }

  /**
   * Returns a shop that runs the charge through the engine, under the key that the request carries.
   */
  static Shop retrysafe(Bank bank) {
    Retrysafe retrysafe = Retrysafe.create(MemoryStore.create());
    OperationKey key = OperationKey.of(Scope.of("anna", "charge"), "order-1001");
    Fingerprint fingerprint = Fingerprint.ofText("EUR", Long.toString(PRICE));
    return new Shop() {
      @Override
      public String pay() throws InterruptedException {
        AtomicBoolean ran = new AtomicBoolean();
        try {
          String receipt =
              retrysafe.run(
                  key,
                  fingerprint,
                  Codec.string(),
                  operation -> {
                    ran.set(true);
                    return bank.charge(PRICE);
                  });
          return (ran.get() ? "charged, " : "answered from the record, ") + receipt;
        } catch (InProgressException e) {
          return String.format(
              Locale.ROOT, "in progress, ask again in %.1f s", e.retryAfter().toMillis() / 1000.0);
        }
      }

      @Override
      public void close() {
        retrysafe.close();
      }
    };
  }
}
