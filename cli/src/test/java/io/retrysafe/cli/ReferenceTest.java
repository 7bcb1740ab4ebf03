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
class ReferenceTest {

  @Command
  private static final class Asked {
    @Mixin private Reference reference = new Reference();
  }

  private static String id(Optional<String> next) {
    Asked asked = new Asked();
    new CommandLine(asked).parseArgs("order-1001");
    Desk desk =
        (Desk)
            Proxy.newProxyInstance(
                Desk.class.getClassLoader(),
                new Class<?>[] {Desk.class},
                (proxy, called, arguments) -> new Desk.Found(List.of(), List.of(), next));
    return asked.reference.id(desk);
  }

  @Test
  void aSearchThatDidNotEndIsNotNotFound() {
    assertThatThrownBy(() -> id(Optional.of("more")))
        .hasMessageContaining("add --account and --route")
        .satisfies(e -> assertThat(Exits.of((Exception) e)).isEqualTo(Exits.UNAVAILABLE));
    assertThatThrownBy(() -> id(Optional.empty()))
        .satisfies(e -> assertThat(Exits.of((Exception) e)).isEqualTo(Exits.NOT_FOUND));
  }
}
