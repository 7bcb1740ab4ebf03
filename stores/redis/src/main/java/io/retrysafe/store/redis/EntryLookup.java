// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.internal.UnicodeText;
import io.retrysafe.store.Browsable.Unreadable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.RefusedCallException;
import java.util.List;
import java.util.Optional;

/** Entries that a listing looks up together. Closing gives up the ones that were not read yet. */
record EntryLookup(List<EntryKeys> entries, List<ScriptCall> calls) implements AutoCloseable {
  private static final int LONGEST_PROBLEM = 300;
  private static final byte[] REPAIR = EntryKeys.ascii("1");

  /**
   * Sends look-ups.
   *
   * @param isRepairing whether entries that are gone or settled leave their index
   */
  static EntryLookup send(
      RedisCommands commands, BatchLane finds, List<EntryKeys> entries, boolean isRepairing) {
    byte[] repair = isRepairing ? REPAIR : EntryFormat.NOTHING;
    List<ScriptCall> calls =
        entries.stream().map(entry -> commands.call(entry, entry.member(), repair)).toList();
    finds.send(calls);
    return new EntryLookup(entries, calls);
  }

  /** An entry, the reason why it cannot be read, or nothing if it is gone. */
  record Result(Optional<Entry> entry, Optional<Unreadable> unreadable) {}

  /** Waits for the result at an index. */
  Result get(int index) {
    Object answer = 0L;
    try {
      answer = calls.get(index).await();
      return new Result(EntryFormat.found(answer), Optional.empty());
    } catch (RefusedCallException e) {
      return new Result(
          Optional.empty(),
          Optional.of(
              new Unreadable(
                  EntryKeys.text(entries.get(index).entry()),
                  answer instanceof List<?> fields
                      ? EntryFormat.key(Replies.bytes(fields, 1))
                      : Optional.empty(),
                  UnicodeText.storable(String.valueOf(e.getMessage()), LONGEST_PROBLEM))));
    }
  }

  @Override
  public void close() {
    calls.forEach(ScriptCall::giveUp);
  }
}
