// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(
    name = "demo",
    description = "Shows one payment sent six times, without and with the engine.")
final class DemoCommand implements Callable<Integer> {
  @Override
  public Integer call() {
    return 0;
  }
}
