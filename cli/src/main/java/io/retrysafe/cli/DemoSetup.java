// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Tokens;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.stream.Stream;

/** The servers of a demo: payments services with a ledger and, if guarded, a gateway in front. */
final class DemoSetup implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Ledger ledger = new Ledger();
  private final boolean isGuarded;

  DemoSetup(boolean isGuarded) {
    this.isGuarded = isGuarded;
  }

  Ledger ledger() {
    return ledger;
  }

  <T extends AutoCloseable> T add(T part) {
    open.push(part);
    return part;
  }

  /** Starts a payments service that takes {@code time} for a charge. */
  PaymentsService payments(Duration time) throws IOException {
    return add(
        PaymentsService.start(
            0,
            ledger,
            amount -> {
              Thread.sleep(time.toMillis());
              return ledger.charge(amount);
            }));
  }

  /** Returns the address to pay at: a gateway in front of {@code service}, or the service. */
  URI entrance(URI service) throws IOException {
    return isGuarded ? gateway(service, 0, Tokens.NONE).url() : service;
  }

  /** Starts a gateway on an SQLite file that is deleted at the end. */
  RunningGateway gateway(URI upstream, int port, Tokens tokens) throws IOException {
    Path folder = Files.createTempDirectory("retrysafe-demo");
    add(() -> delete(folder));
    GatewayConfig.Builder config =
        GatewayConfig.builder(upstream)
            .listen(new Listen("127.0.0.1", port, null))
            .admin(new Listen("127.0.0.1", 0, null))
            .store("sqlite:" + folder.resolve("retrysafe.db"))
            .account(AccountResolver.none())
            .tokens(tokens)
            .limits(Limits.create().stopWithin(Duration.ofSeconds(2)));
    config.policy(config.policy().wait(Duration.ofSeconds(10)));
    GatewayConfig built = config.build();
    return add(RunningGateway.start(built, () -> built));
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("a server of the demo did not stop", e);
      }
    }
  }
}
