// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RuleNamesTest {
  /** Not a test class of its own: JUnit does not look for private nested classes. */
  private abstract static class Completing {
    @Rule("C-23")
    @SuppressWarnings("UnusedMethod") // Found by its name.
    abstract void onlyTheOwnerCompletes();
  }

  @Test
  void aTestIsShownAsItsRuleAndASentence() throws NoSuchMethodException {
    Method method = Completing.class.getDeclaredMethod("onlyTheOwnerCompletes");

    String name = new RuleNames().generateDisplayNameForMethod(List.of(), Completing.class, method);

    assertThat(name).isEqualTo("C-23 only the owner completes");
  }

  @Test
  void numbersAreWordsToo() {
    assertThat(RuleNames.sentence("of32ClaimersOneIsGranted"))
        .isEqualTo("of 32 claimers one is granted");
  }
}
