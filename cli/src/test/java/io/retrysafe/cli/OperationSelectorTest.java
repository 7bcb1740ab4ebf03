// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Which operation is meant. */
class OperationSelectorTest {

  @Command
  private static final class Asked {
    @Mixin private OperationSelector selector = new OperationSelector();
  }

  private static String id(Optional<String> next) {
    Asked asked = new Asked();
    new CommandLine(asked).parseArgs("order-1001");
    OperationsClient client =
        (OperationsClient)
            Proxy.newProxyInstance(
                OperationsClient.class.getClassLoader(),
                new Class<?>[] {OperationsClient.class},
                (proxy, called, arguments) ->
                    new OperationsClient.Found(List.of(), List.of(), next));
    return asked.selector.id(client);
  }

  @Test
  void aSearchThatDidNotEndIsNotNotFound() {
    assertThatThrownBy(() -> id(Optional.of("more")))
        .hasMessageContaining("add --account and --route")
        .satisfies(e -> assertThat(ExitCodes.of((Exception) e)).isEqualTo(ExitCodes.UNAVAILABLE));
    assertThatThrownBy(() -> id(Optional.empty()))
        .satisfies(e -> assertThat(ExitCodes.of((Exception) e)).isEqualTo(ExitCodes.NOT_FOUND));
  }
}
