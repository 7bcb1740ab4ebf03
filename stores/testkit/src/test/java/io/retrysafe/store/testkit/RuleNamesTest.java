// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RuleNamesTest {

  @Test
  void aTestIsShownAsItsRuleAndASentence() throws NoSuchMethodException {
    Method method = CompletingRules.class.getDeclaredMethod("onlyTheOwnerCompletes");

    String name =
        new RuleNames()
            .generateDisplayNameForMethod(List.of(), StoreContract.Completing.class, method);

    assertThat(name).isEqualTo("C-23 only the owner completes");
  }

  @Test
  void numbersAreWordsToo() {
    assertThat(RuleNames.sentence("of32ClaimersOneIsGranted"))
        .isEqualTo("of 32 claimers one is granted");
  }
}
