// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.cli.DemoFault.Played;
import io.retrysafe.gateway.config.Tokens;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code retrysafe demo}: a payments service with the gateway in front, to try and to break. */
@Command(
    name = "demo",
    description = {
      "Starts a small payments service with the gateway in front, and prints what to try.",
      "With --break it runs a failure without and with the gateway, and exits."
    },
    mixinStandardHelpOptions = true,
    usageHelpAutoWidth = true,
    footer = {"", "Example: retrysafe demo --break lost-response"})
final class DemoCommand implements Callable<Integer> {
  /** Kept in a field: a collected logger would lose its level. */
  private static final Logger LOG = Logger.getLogger("io.retrysafe");

  private static final Duration LATENCY = Duration.ofMillis(200);

  @Spec private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description = "Where the gateway listens, ${DEFAULT-VALUE} by default; 0 for any.")
  private int port;

  @Option(
      names = "--break",
      paramLabel = "FAILURE",
      converter = Failure.class,
      description = "One of ${COMPLETION-CANDIDATES}.")
  private @Nullable DemoFault breakage;

  /** Converts the name of a failure. */
  static final class Failure implements ITypeConverter<DemoFault> {
    @Override
    public DemoFault convert(String value) {
      return Arrays.stream(DemoFault.values())
          .filter(each -> each.toString().equals(value))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "must be one of " + Arrays.toString(DemoFault.values()) + ", was " + value));
    }
  }

  @Override
  public Integer call() throws Exception {
    LOG.setLevel(Level.SEVERE);
    return breakage == null ? serve() : play(breakage);
  }

  private int serve() throws IOException, InterruptedException {
    DemoSetup setup = new DemoSetup(true);
    boolean isTerminal = Terminal.isThere();
    Tokens tokens = isTerminal ? Tokens.random() : Tokens.NONE;
    PaymentsService service = setup.payments(LATENCY);
    RunningGateway gateway;
    try {
      gateway = setup.gateway(service.url(), port, tokens);
    } catch (IllegalStateException e) {
      throw new IllegalStateException(e.getMessage() + "; choose another with --port", e);
    }
    String pay =
        "curl -i "
            + gateway.url()
            + "/payments -H 'Idempotency-Key: order-1001' -d '{\"amount\": 2500}'";
    say("payments service  %s   charges whatever it is asked to", service.url());
    say("gateway           %s   records in an SQLite file", gateway.url());
    say("its admin port    %s", gateway.adminUrl());
    if (!isTerminal) {
      say("its admin API     refuses every request: tokens are printed to a terminal only");
    } else {
      say("operator's token  %s", String.valueOf(tokens.admin()));
      say("viewer's token    %s", String.valueOf(tokens.viewer()));
    }
    say("");
    say("A payment, and the same again: charged once, and the second answer is replayed.");
    say("");
    say("  @|bold %s|@", pay);
    say("  @|bold %s|@", pay);
    say("");
    say("What was charged: curl %s/payments", gateway.url());
    say("Ctrl-C stops all of it. Failures: retrysafe demo --break FAILURE");
    UntilStopped.run(setup, spec.commandLine().getErr());
    return 0;
  }

  private int play(DemoFault failure) throws InterruptedException {
    say("@|bold %s|@", failure);
    say("%s", failure.story());
    say("");
    CompletableFuture<Played> bare = failure.playOn(false);
    CompletableFuture<Played> guarded = failure.playOn(true);
    Played without = result(bare);
    Played with = result(guarded);
    say("  @|bold,red %-36s|@   @|bold,green %s|@", "without the gateway", "with the gateway");
    List<String> left = lines(without);
    List<String> right = lines(with);
    for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
      say("  %-36s | %s", i < left.size() ? left.get(i) : "", i < right.size() ? right.get(i) : "");
    }
    say("");
    say("@|bold %d charges without the gateway, %d with it.|@", without.charges(), with.charges());
    if (without.charges() != 2 || with.charges() != 1) {
      throw new IllegalStateException("2 charges and 1 were expected");
    }
    return 0;
  }

  private static Played result(CompletableFuture<Played> played) throws InterruptedException {
    try {
      return played.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the demo failed: " + e.getCause(), e);
    }
  }

  private static List<String> lines(Played played) {
    List<String> lines = new ArrayList<>(played.lines());
    lines.add(
        String.format(
            Locale.ROOT,
            "%d %s, EUR %d.%02d",
            played.charges(),
            played.charges() == 1 ? "charge" : "charges",
            played.cents() / 100,
            played.cents() % 100));
    return lines;
  }

  private void say(String format, Object... arguments) {
    PrintWriter out = spec.commandLine().getOut();
    String line = String.format(Locale.ROOT, format, arguments).stripTrailing();
    out.println(spec.commandLine().getColorScheme().ansi().string(line));
    out.flush();
  }
}
