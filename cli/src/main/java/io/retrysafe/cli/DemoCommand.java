// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code retrysafe demo}: one payment sent six times, without and with the engine. */
@Command(
    name = "demo",
    description = "Shows one payment sent six times, without and with the engine.",
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true)
final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  private final Duration latency;
  private final Function<Bank, Shop> engine;

  DemoCommand() {
    this(Duration.ofMillis(400), Shop::retrysafe);
  }

  DemoCommand(Duration latency, Function<Bank, Shop> engine) {
    this.latency = latency;
    this.engine = engine;
  }

  @Override
  public Integer call() throws InterruptedException, ExecutionException {
    say("");
    say("@|bold One payment, sent six times|@");
    say("");
    say("Anna pays %s for an order, on a bad line. Five copies of her request", money(Shop.PRICE));
    say("arrive at once, every answer gets lost, and so her phone asks once more.");
    int without = chapter("Without Retrysafe", "every copy is charged", "red", Shop::naive);
    int with =
        chapter("With Retrysafe", "the same charge, inside retrysafe.run(...)", "green", engine);
    say("");
    say("@|bold %d charges without Retrysafe, %d with it.|@", without, with);
    say("");
    if (with != 1) {
      throw new IllegalStateException("the engine let " + with + " charges through instead of 1");
    }
    return 0;
  }

  private int chapter(String title, String how, String colour, Function<Bank, Shop> opening)
      throws InterruptedException, ExecutionException {
    Bank bank = new Bank(latency);
    say("");
    say("@|bold,%s %s|@  @|faint %s|@", colour, title, how);
    try (Shop shop = opening.apply(bank)) {
      new Rush(shop)
          .send(
              (copy, answer, isLost) ->
                  say("  copy %d   %-38s%s", copy, answer, isLost ? "@|faint answer lost|@" : ""));
    }
    say(
        "  @|bold,%s %s on Anna's card: %s|@",
        colour,
        bank.charges() == 1 ? "1 charge" : bank.charges() + " charges",
        money(bank.cents()));
    return bank.charges();
  }

  private static String money(long cents) {
    return String.format(Locale.ROOT, "EUR %d.%02d", cents / 100, cents % 100);
  }

  private void say(String format, Object... arguments) {
    PrintWriter out = spec.commandLine().getOut();
    String line = String.format(Locale.ROOT, format, arguments).stripTrailing();
    out.println(spec.commandLine().getColorScheme().ansi().string(line));
    out.flush();
  }
}
