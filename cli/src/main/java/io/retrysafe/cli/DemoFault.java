// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;

/** Failures of a payment. Each runs over real sockets. */
enum DemoFault {
  LOST_RESPONSE("The service charges, but its answer is lost on the way. The client retries.") {
    @Override
    List<String> play(DemoSetup setup) throws Exception {
      URI entrance = setup.entrance(setup.payments(FAST).url());
      FaultyProxy line = setup.add(new FaultyProxy(entrance));
      String first = CLIENT.pay(line.url(), PRICE);
      return List.of("first try: " + first, "retry:     " + CLIENT.pay(line.url(), PRICE));
    }
  },
  CRASH("The service charges and is killed before it answers. The client retries.") {
    @Override
    List<String> play(DemoSetup setup) throws Exception {
      URI bank = setup.payments(Duration.ZERO).url();
      PaymentsProcess doomed = setup.add(PaymentsProcess.start(0, bank, true));
      URI service = URI.create("http://127.0.0.1:" + doomed.port());
      URI entrance = setup.entrance(service);
      FutureTask<String> first = inBackground(() -> CLIENT.pay(entrance, PRICE));
      untilCharged(setup);
      doomed.close();
      String told = first.get();
      setup.add(PaymentsProcess.start(doomed.port(), bank, false));
      return List.of(
          "first try: " + told,
          "           service killed, restarted",
          "retry:     " + CLIENT.pay(entrance, PRICE));
    }
  },
  DOUBLE_CLICK("The user clicks twice: two requests at the same time.") {
    @Override
    List<String> play(DemoSetup setup) throws Exception {
      URI entrance = setup.entrance(setup.payments(FAST).url());
      FutureTask<String> one = inBackground(() -> CLIENT.pay(entrance, PRICE));
      String other = CLIENT.pay(entrance, PRICE);
      return List.of("click: " + one.get(), "click: " + other);
    }
  },
  CHANGED_BODY("The client sends the same key with another amount, by mistake.") {
    @Override
    List<String> play(DemoSetup setup) throws Exception {
      URI entrance = setup.entrance(setup.payments(FAST).url());
      String first = CLIENT.pay(entrance, PRICE);
      return List.of("EUR 25.00: " + first, "EUR 99.00: " + CLIENT.pay(entrance, 9900));
    }
  },
  SLOW_UPSTREAM("The service is slow. The client times out and retries.") {
    @Override
    List<String> play(DemoSetup setup) throws Exception {
      URI entrance = setup.entrance(setup.payments(SLOW).url());
      String first = CLIENT.pay(entrance, PRICE, IMPATIENT);
      return List.of("first try: " + first, "retry:     " + CLIENT.pay(entrance, PRICE));
    }
  };

  private static final long PRICE = 2500;
  private static final Duration FAST = Duration.ofMillis(200);
  private static final Duration SLOW = Duration.ofMillis(1500);
  private static final Duration IMPATIENT = Duration.ofMillis(750);
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final PayingClient CLIENT = new PayingClient();

  private final String story;

  DemoFault(String story) {
    this.story = story;
  }

  String story() {
    return story;
  }

  /** Runs the failure and returns what the client saw, in order. */
  abstract List<String> play(DemoSetup setup) throws Exception;

  private static FutureTask<String> inBackground(Callable<String> work) {
    FutureTask<String> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "client");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private static void untilCharged(DemoSetup setup) throws InterruptedException, IOException {
    Instant end = Instant.now().plus(LONG);
    while (setup.ledger().charges() == 0) {
      if (Instant.now().isAfter(end)) {
        throw new IOException("the payments service was never reached");
      }
      Thread.sleep(5);
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Runs the failure on a new setup, in its own thread. */
  CompletableFuture<Played> playOn(boolean isGuarded) {
    CompletableFuture<Played> played = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try (DemoSetup setup = new DemoSetup(isGuarded)) {
                List<String> lines = play(setup);
                Ledger ledger = setup.ledger();
                played.complete(new Played(lines, ledger.charges(), ledger.cents()));
              } catch (Throwable e) {
                played.completeExceptionally(e);
              }
            },
            "setup");
    thread.setDaemon(true);
    thread.start();
    return played;
  }

  /** The result of a run. */
  record Played(List<String> lines, int charges, long cents) {}
}
