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

/** What can go wrong with a payment. Each is played for real, over sockets. */
enum Breakage {
  LOST_RESPONSE("The payment is made, its answer is lost on the way. The client tries again.") {
    @Override
    List<String> play(Stage stage) throws Exception {
      URI entrance = stage.entrance(stage.payments(FAST).url());
      BadLine line = stage.add(new BadLine(entrance));
      String first = CLIENT.pay(line.url(), PRICE);
      return List.of("first try: " + first, "retry:     " + CLIENT.pay(line.url(), PRICE));
    }
  },
  CRASH("The service charges and is killed before it answers. The client tries again.") {
    @Override
    List<String> play(Stage stage) throws Exception {
      URI bank = stage.payments(Duration.ZERO).url();
      PaymentsProcess doomed = stage.add(PaymentsProcess.start(0, bank, true));
      URI service = URI.create("http://127.0.0.1:" + doomed.port());
      URI entrance = stage.entrance(service);
      FutureTask<String> first = inBackground(() -> CLIENT.pay(entrance, PRICE));
      untilCharged(stage);
      doomed.close();
      String told = first.get();
      stage.add(PaymentsProcess.start(doomed.port(), bank, false));
      return List.of(
          "first try: " + told,
          "           service killed, restarted",
          "retry:     " + CLIENT.pay(entrance, PRICE));
    }
  },
  DOUBLE_CLICK("The button is clicked twice: two requests at the same time.") {
    @Override
    List<String> play(Stage stage) throws Exception {
      URI entrance = stage.entrance(stage.payments(FAST).url());
      FutureTask<String> one = inBackground(() -> CLIENT.pay(entrance, PRICE));
      String other = CLIENT.pay(entrance, PRICE);
      return List.of("click: " + one.get(), "click: " + other);
    }
  },
  CHANGED_BODY("The same key comes again with another amount, by a mistake in the client.") {
    @Override
    List<String> play(Stage stage) throws Exception {
      URI entrance = stage.entrance(stage.payments(FAST).url());
      String first = CLIENT.pay(entrance, PRICE);
      return List.of("EUR 25.00: " + first, "EUR 99.00: " + CLIENT.pay(entrance, 9900));
    }
  },
  SLOW_UPSTREAM("The service is slow, the client gives up. It tries again.") {
    @Override
    List<String> play(Stage stage) throws Exception {
      URI entrance = stage.entrance(stage.payments(SLOW).url());
      String first = CLIENT.pay(entrance, PRICE, IMPATIENT);
      return List.of("first try: " + first, "retry:     " + CLIENT.pay(entrance, PRICE));
    }
  };

  private static final long PRICE = 2500;
  private static final Duration FAST = Duration.ofMillis(200);
  private static final Duration SLOW = Duration.ofMillis(1500);
  private static final Duration IMPATIENT = Duration.ofMillis(750);
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Client CLIENT = new Client();

  private final String story;

  Breakage(String story) {
    this.story = story;
  }

  String story() {
    return story;
  }

  /** Plays it and says what the client saw, in order. */
  abstract List<String> play(Stage stage) throws Exception;

  private static FutureTask<String> inBackground(Callable<String> work) {
    FutureTask<String> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "client");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private static void untilCharged(Stage stage) throws InterruptedException, IOException {
    Instant end = Instant.now().plus(LONG);
    while (stage.ledger().charges() == 0) {
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

  /** Plays it on a new stage, in a thread of its own. */
  CompletableFuture<Played> playOn(boolean isGuarded) {
    CompletableFuture<Played> played = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try (Stage stage = new Stage(isGuarded)) {
                List<String> lines = play(stage);
                Ledger ledger = stage.ledger();
                played.complete(new Played(lines, ledger.charges(), ledger.cents()));
              } catch (Throwable e) {
                played.completeExceptionally(e);
              }
            },
            "stage");
    thread.setDaemon(true);
    thread.start();
    return played;
  }

  /** What came of it. */
  record Played(List<String> lines, int charges, long cents) {}
}
