// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.LAPSE;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Scope;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DownstreamKeysTest {

  // Computed apart from this code: SHA-256 over 4-byte lengths and parts, the first 16 bytes marked
  // as version 4.
  @Test
  void theDerivationNeverChanges() {
    assertThat(DownstreamKeys.derive(KEY, "stripe"))
        .isEqualTo("e26b0a05-011c-4f36-af96-a582b9f10241");
    OperationKey other = OperationKey.of(Scope.of("merchant_7", "POST", "/payments"), "8e03978e");
    assertThat(DownstreamKeys.derive(other, "ledger"))
        .isEqualTo("5d05b6a1-5b45-4aed-915a-db5d03864e55");
  }

  @Test
  void itIsALowerCaseUuidOfVersionFour() {
    for (int i = 0; i < 1000; i++) {
      String key = DownstreamKeys.derive(KEY, "service " + i);

      assertThat(key).hasSize(36).isLowerCase();
      assertThat(UUID.fromString(key).version()).isEqualTo(4);
      assertThat(UUID.fromString(key).variant()).isEqualTo(2);
    }
  }

  @Test
  void partsCannotRunIntoEachOther() {
    Set<String> keys = new HashSet<>();
    keys.add(DownstreamKeys.derive(OperationKey.of(Scope.of("a", "bc"), "d"), "e"));
    keys.add(DownstreamKeys.derive(OperationKey.of(Scope.of("ab", "c"), "d"), "e"));
    keys.add(DownstreamKeys.derive(OperationKey.of(Scope.of("a", "b"), "cd"), "e"));
    keys.add(DownstreamKeys.derive(OperationKey.of(Scope.of("a", "b", "c"), "d"), "e"));
    keys.add(DownstreamKeys.derive(OperationKey.of(Scope.of("a", "bc"), "de"), ""));

    assertThat(keys).hasSize(5);
  }

  @Test
  void itIsTheSameInEveryAttempt() {
    EngineWorld world = new EngineWorld();
    Policy rerun = Policy.create().recovery(Recovery.rerun());
    Operation first = world.claimedByACrashedProcess(rerun);
    world.runtime.advance(LAPSE);
    Operation second = granted(world.engine.begin(KEY, PRINT, rerun));

    assertThat(first.downstreamKey("stripe")).isEqualTo("e26b0a05-011c-4f36-af96-a582b9f10241");
    assertThat(second.downstreamKey("stripe")).isEqualTo(first.downstreamKey("stripe"));
  }
}
