// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The three services, as far as the example needs them: a journal file with a line for everything
 * that really happened. A key that is in the journal is a repetition and gets the same answer.
 */
final class Shop implements Stock, Card, Shipping {
  private final Path journal;
  private final boolean canShip;

  Shop(Path journal, boolean canShip) {
    this.journal = journal;
    this.canShip = canShip;
  }

  @Override
  public String reserve(String key, String item) {
    return once(key, "reserve");
  }

  @Override
  public void release(String key, String reservation) {
    String unused = once(key, "release");
  }

  @Override
  public String charge(String key, int cents) {
    return once(key, "charge");
  }

  @Override
  public void refund(String key, String charge) {
    String unused = once(key, "refund");
  }

  @Override
  public Optional<String> find(String key) {
    return answer(key);
  }

  @Override
  public String ship(String key, String reservation) throws CannotShipException {
    if (!canShip) {
      throw new CannotShipException("no carrier goes there");
    }
    return once(key, "ship");
  }

  /** Returns what really happened, in order. */
  synchronized List<String> happened() {
    List<String> happened = new ArrayList<>();
    for (String line : lines()) {
      happened.add(line.substring(line.indexOf(' ') + 1, line.indexOf('#')).strip());
    }
    return happened;
  }

  private synchronized String once(String key, String what) {
    Optional<String> known = answer(key);
    if (known.isPresent()) {
      return known.get();
    }
    String id = "#" + (lines().size() + 1);
    try {
      Files.writeString(
          journal,
          key + ' ' + what + ' ' + id + System.lineSeparator(),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return id;
  }

  private synchronized Optional<String> answer(String key) {
    return lines().stream()
        .filter(line -> line.startsWith(key + ' '))
        .map(line -> line.substring(line.indexOf('#')))
        .findFirst();
  }

  private List<String> lines() {
    try {
      return Files.exists(journal) ? Files.readAllLines(journal) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
