// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import java.nio.file.Path;

/** A process with an embedded store: it settles one key after the other and prints each number. */
final class EmbeddedProcess {
  private EmbeddedProcess() {}

  static OperationKey key(int number) {
    return OperationKey.of(Scope.of("test"), "key-" + number);
  }

  public static void main(String[] args) {
    try (JdbcStore store = JdbcStore.embedded(Path.of(args[0])).build()) {
      System.out.println("ready");
      for (int i = 0; args[1].equals("forever"); i++) {
        Claim claim = Samples.claim(key(i));
        store.claim(claim);
        store.complete(claim.owner(), Samples.DONE, Samples.RETENTION);
        System.out.println(i);
      }
    }
  }
}
