// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.OperationFailedException;
import io.retrysafe.Retrysafe;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the order at every boundary. A killed attempt is frozen where it is and its engine is
 * closed, so that nobody renews its lease; the store, the services and their journal live on, as
 * they would in another process. When all is over it is thawed: it was only slow, and must do no
 * harm either.
 */
class KilledOrderTest {
  private static final Order BOOK = new Order("book", 1999);
  private static final List<String> DONE = List.of("reserve", "charge", "ship");
  private static final List<String> UNDONE = List.of("reserve", "charge", "refund", "release");

  private final Path folder;
  private int runs;

  KilledOrderTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void killedAnywhereAnOrderIsPlacedOnce() throws InterruptedException {
    int boundaries = boundaries(true);
    assertThat(boundaries).isEqualTo(2 * (1 + 3 + 3 + 1));
    for (int first = 0; first < boundaries; first++) {
      killAt(true, List.of(first));
    }
  }

  @Test
  void killedAnywhereAnOrderThatCannotBeShippedIsUndoneOnce() throws InterruptedException {
    int boundaries = boundaries(false);
    assertThat(boundaries).isEqualTo(2 * (1 + 3 + 2 + 1 + 2 + 2 + 1));
    for (int first = 0; first < boundaries; first++) {
      killAt(false, List.of(first));
    }
  }

  @Test
  void killedTwiceAnywhereItIsAllTheSame() throws InterruptedException {
    for (boolean canShip : new boolean[] {true, false}) {
      int boundaries = boundaries(canShip);
      for (int first = 0; first < boundaries; first++) {
        for (int second = 0; second < boundaries; second++) {
          killAt(canShip, List.of(first, second));
        }
      }
    }
  }

  private int boundaries(boolean canShip) throws InterruptedException {
    World world = new World(canShip);
    Attempt attempt = world.attempt(Freezer.NEVER);
    attempt.freezer.run();
    attempt.engine.close();
    return attempt.freezer.passed().size();
  }

  private void killAt(boolean canShip, List<Integer> places) throws InterruptedException {
    World world = new World(canShip);
    List<Attempt> killed = new ArrayList<>();
    List<List<String>> stories = new ArrayList<>();
    for (int place : places) {
      Attempt attempt = world.attempt(place);
      attempt.freezer.run();
      attempt.engine.close();
      killed.add(attempt);
      stories.add(List.copyOf(attempt.freezer.passed()));
      world.clock = world.clock.plusSeconds(31);
    }

    Attempt retry = world.attempt(Freezer.NEVER);
    retry.freezer.run();
    retry.engine.close();

    List<String> expected = canShip ? DONE : UNDONE;
    String answer = canShip ? "#3" : "cannot ship";
    assertThat(retry.answer).as("killed after %s", stories).isEqualTo(answer);
    assertThat(world.shop.happened()).as("killed after %s", stories).isEqualTo(expected);

    for (Attempt attempt : killed) {
      attempt.freezer.thaw();
      assertThat(attempt.answer).as("thawed after %s", stories).isEqualTo(answer);
    }
    assertThat(world.shop.happened()).as("thawed after %s", stories).isEqualTo(expected);
  }

  /** What outlives an attempt. */
  private final class World {
    final Shop shop;
    final Store store;
    volatile Instant clock = Instant.parse("2026-01-01T00:00:00Z");

    World(boolean canShip) {
      runs++;
      shop = new Shop(folder.resolve("journal-" + runs), canShip);
      store = MemoryStore.builder().clock(() -> clock).build();
    }

    Attempt attempt(int killedAt) {
      return new Attempt(this, killedAt);
    }
  }

  /** What dies: an engine and a thread. */
  private static final class Attempt {
    final Freezer freezer;
    final Retrysafe engine;
    private final Orders orders;
    volatile String answer = "";

    Attempt(World world, int killedAt) {
      freezer = new Freezer(killedAt, this::place);
      engine =
          Retrysafe.builder(freezer.around(world.store, Store.class, Steps.class))
              .sweepEvery(Duration.ZERO)
              .build();
      orders =
          new Orders(
              engine,
              freezer.around(world.shop, Stock.class),
              freezer.around(world.shop, Card.class),
              freezer.around(world.shop, Shipping.class));
    }

    private void place() {
      try {
        answer = orders.place("customer_7", "order-1", BOOK);
      } catch (CannotShipException e) {
        answer = "cannot ship";
      } catch (OperationFailedException e) {
        answer = e.type().equals(CannotShipException.class.getName()) ? "cannot ship" : e.type();
      } catch (RuntimeException e) {
        answer = e.toString();
      }
    }
  }
}
