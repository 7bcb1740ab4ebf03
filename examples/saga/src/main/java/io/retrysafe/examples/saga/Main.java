// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

import io.retrysafe.OperationFailedException;
import io.retrysafe.Retrysafe;
import io.retrysafe.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Places two orders, each twice, and prints what the services saw. */
final class Main {
  private static final Order BOOK = new Order("book", 1999);

  private Main() {}

  public static void main(String[] args) throws IOException {
    Path folder = Files.createTempDirectory("saga");
    MemoryStore store = MemoryStore.create();
    try (Retrysafe engine =
        Retrysafe.builder(store)
            .listener(event -> print("    " + event.kind() + " " + event.detail()))
            .build()) {
      place("An order that can be shipped", engine, new Shop(folder.resolve("first"), true));
      place("An order that cannot be shipped", engine, new Shop(folder.resolve("second"), false));
    }
  }

  private static void place(String title, Retrysafe engine, Shop shop) {
    Orders orders = new Orders(engine, shop, shop, shop);
    print(title);
    for (String call : new String[] {"first call", "retry"}) {
      print("  " + call);
      print("    => " + answer(orders, title));
    }
    print("  The services saw: " + String.join(", ", shop.happened()));
  }

  private static String answer(Orders orders, String key) {
    try {
      return "parcel " + orders.place("customer_7", key, BOOK);
    } catch (CannotShipException e) {
      return "refused: " + e.getMessage();
    } catch (OperationFailedException e) {
      return "failed before: " + e.getMessage();
    }
  }

  private static void print(String line) {
    System.out.println(line);
  }
}
