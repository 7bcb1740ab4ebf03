// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** One operation is selected, or it is said why not. */
class OperationSelectorTest {

  @Command
  private static final class Asked {
    @Mixin private OperationSelector selector = new OperationSelector();
  }

  private static OperationSelector.Selected select(
      List<Map<String, Object>> operations, Optional<String> next) {
    Asked asked = new Asked();
    new CommandLine(asked).parseArgs("order-1001");
    OperationsClient client =
        (OperationsClient)
            Proxy.newProxyInstance(
                OperationsClient.class.getClassLoader(),
                new Class<?>[] {OperationsClient.class},
                (proxy, called, arguments) ->
                    new OperationsClient.Found(operations, List.of(), next));
    return asked.selector.select(client);
  }

  @Test
  void aSearchThatDidNotEndIsNotNotFound() {
    assertThatThrownBy(() -> select(List.of(), Optional.of("more")))
        .hasMessageContaining("add --account and --route")
        .satisfies(e -> assertThat(ExitCodes.of((Exception) e)).isEqualTo(ExitCodes.UNAVAILABLE));
    assertThatThrownBy(() -> select(List.of(), Optional.empty()))
        .satisfies(e -> assertThat(ExitCodes.of((Exception) e)).isEqualTo(ExitCodes.NOT_FOUND));
  }

  @Test
  void theFenceOfTheListingIsKept() {
    assertThat(select(List.of(Map.of("id", "op_x", "fence", 7L)), Optional.empty()))
        .isEqualTo(new OperationSelector.Selected("op_x", OptionalLong.of(7)));
  }
}
