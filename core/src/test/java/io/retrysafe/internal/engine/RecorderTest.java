// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.retrysafe.Codec;
import io.retrysafe.Decision;
import io.retrysafe.Event;
import io.retrysafe.Fingerprint;
import io.retrysafe.MismatchException;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.TestEngines;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What reaches the history, and what it costs the caller. */
final class RecorderTest {
  private static final OperationKey KEY = OperationKey.of(Scope.of("merchant_7", "pay"), "o-1");
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration EVERY = Duration.ofMillis(200);

  private final ManualRuntime runtime = new ManualRuntime();
  private final MemoryStore store = MemoryStore.builder().clock(runtime).build();

  private Retrysafe engine(String name) {
    return TestEngines.builder(store, runtime).name(name).sweepEvery(Duration.ZERO).build();
  }

  private static String pay(Retrysafe engine, String amount) {
    return engine.run(
        KEY,
        Fingerprint.ofText(amount),
        Codec.string(),
        operation -> operation.step("charge", Codec.string(), () -> "receipt"));
  }

  @Test
  void aTimelineShowsBothReplicasAndCountsReplays() {
    Retrysafe one = engine("gw-1");
    Retrysafe two = engine("gw-2");
    pay(one, "25");
    for (int i = 0; i < 3; i++) {
      pay(two, "25");
      runtime.advance(SOON);
    }
    try {
      pay(two, "26");
    } catch (MismatchException e) {
      runtime.advance(SOON);
    }
    assertThat(store.history(KEY))
        .extracting(History.Event::kind, History.Event::by, History.Event::count)
        .containsExactly(
            tuple("claimed", "gw-1", 1),
            tuple("step", "gw-1", 1),
            tuple("completed", "gw-1", 1),
            tuple("replayed", "gw-2", 3),
            tuple("mismatch", "gw-2", 1));
    History.Event replays = store.history(KEY).get(3);
    assertThat(Duration.between(replays.first(), replays.last())).isEqualTo(SOON.multipliedBy(2));
    assertThat(store.history(KEY).get(1).detail()).isEqualTo("attempt 1, charge");
  }

  @Test
  void whatIsUnknownAndTakenOverIsThere() {
    Policy rerun = Policy.create().recovery(Recovery.rerun());
    Retrysafe engine = engine("gw-1");
    ((Decision.Granted) engine.begin(KEY, Fingerprint.NONE, rerun)).operation().unknown();
    ((Decision.Granted) engine.begin(KEY, Fingerprint.NONE, rerun)).operation().release();
    runtime.advance(SOON);
    assertThat(store.history(KEY))
        .extracting(History.Event::kind)
        .containsExactly("claimed", "unknown", "taken_over", "released");
    assertThat(store.history(KEY))
        .extracting(History.Event::detail)
        .doesNotContainSequence("attempt 1", "attempt 1, unknown")
        .allMatch(detail -> detail.equals(detail.toLowerCase(Locale.ROOT)));
  }

  @Test
  void nothingIsWrittenWhileACallerWaits() {
    Retrysafe engine = engine("gw-1");
    pay(engine, "25");
    assertThat(store.history(KEY)).isEmpty();
    engine.close();
    assertThat(store.history(KEY)).as("at the end what waited is written").hasSize(3);
  }

  @Test
  void itCanBeSwitchedOff() {
    pay(TestEngines.builder(store, runtime).history(false).build(), "25");
    runtime.advance(SOON);
    assertThat(store.history(KEY)).isEmpty();
  }

  @Test
  void anOperatorsActionIsInTheAuditAfterItsEntryIsForgotten() {
    Retrysafe engine = engine("gw-1");
    pay(engine, "25");
    Entry seen = store.find(KEY).orElseThrow();
    engine.resolve(seen, new Resolution.Forget(), new AuditNote("alice", "test data"));
    runtime.advance(Duration.ofDays(40));
    store.sweep(1000);
    assertThat(store.history(KEY)).isEmpty();
    assertThat(store.audit(runtime.now(), 10))
        .extracting(History.Event::key, History.Event::by)
        .containsExactly(tuple(KEY, "alice"), tuple(KEY, "alice"));
  }

  /** A history that can fall silent, and shows its batches. */
  private static final class Slow implements History {
    private final List<List<History.Event>> batches = new ArrayList<>();
    private boolean isSilent;

    @Override
    public void append(List<History.Event> events) {
      if (isSilent) {
        throw new NoAnswerException("silent", null);
      }
      batches.add(events);
    }

    @Override
    public List<History.Event> history(OperationKey key) {
      return List.of();
    }

    @Override
    public List<History.Event> audit(Instant before, int limit) {
      return List.of();
    }
  }

  @Test
  void underPressureTheOrdinaryCourseIsDroppedFirst() {
    Slow slow = new Slow();
    Recorder recorder = new Recorder(slow, runtime, "gw-1");
    for (int i = 0; i < 20_000; i++) {
      recorder.note(new Event(Event.Kind.CLAIMED, KEY, 1, ""));
    }
    assertThat(recorder.dropped()).isEqualTo(15_000);
    recorder.note(new Event(Event.Kind.LOST_CLAIM, KEY, 1, ""));
    assertThat(recorder.dropped()).isEqualTo(15_000);
    runtime.advance(Duration.ofMinutes(1));
    assertThat(slow.batches).allMatch(batch -> batch.size() <= 1000);
    assertThat(slow.batches.stream().flatMap(List::stream).map(History.Event::kind))
        .contains("lost_claim");
  }

  @Test
  void ofTooManyOperationsSomeAreWrittenAndOfThoseAllOfIt() {
    Slow slow = new Slow();
    Recorder recorder = new Recorder(slow, runtime, "gw-1");
    for (int tick = 0; tick < 20; tick++) {
      runMany(recorder, "o-" + tick);
      runtime.advance(EVERY);
    }
    List<List<History.Event>> sampled = slow.batches.subList(10, 20);
    assertThat(sampled).allMatch(batch -> batch.size() > 100 && batch.size() < 600);
    Map<OperationKey, Long> events =
        sampled.stream()
            .flatMap(List::stream)
            .collect(groupingBy(History.Event::key, Collectors.counting()));
    assertThat(events.values()).isNotEmpty().containsOnly(2L);
    assertThat(recorder.dropped())
        .isEqualTo(20 * 6_000 - slow.batches.stream().mapToInt(List::size).sum());

    // Nobody knows when the next one comes.
    runtime.advance(SOON);
    slow.batches.clear();
    for (int i = 0; i < 30; i++) {
      run(recorder, OperationKey.of(KEY.scope(), "later-" + i));
    }
    runtime.advance(SOON);
    assertThat(slow.batches.stream().mapToInt(List::size).sum()).isEqualTo(60);
  }

  private static void runMany(Recorder recorder, String name) {
    for (int i = 0; i < 3_000; i++) {
      run(recorder, OperationKey.of(KEY.scope(), name + "-" + i));
    }
  }

  private static void run(Recorder recorder, OperationKey key) {
    recorder.note(new Event(Event.Kind.CLAIMED, key, 1, ""));
    recorder.note(new Event(Event.Kind.COMPLETED, key, 1, ""));
  }

  @Test
  void whatIsNotOrdinaryIsWrittenOfAllOperations() {
    Slow slow = new Slow();
    Recorder recorder = new Recorder(slow, runtime, "gw-1");
    for (int tick = 0; tick < 10; tick++) {
      runMany(recorder, "o-" + tick);
      recorder.note(new Event(Event.Kind.LOST_CLAIM, KEY, tick, ""));
      runtime.advance(EVERY);
    }
    runtime.advance(SOON);
    assertThat(slow.batches.stream().flatMap(List::stream).map(History.Event::kind))
        .filteredOn(kind -> kind.equals("lost_claim"))
        .hasSize(10);
  }

  @Test
  void aBatchThatFailsIsDroppedAndTheNextIsWritten() {
    Slow slow = new Slow();
    Recorder recorder = new Recorder(slow, runtime, "gw-1");
    slow.isSilent = true;
    recorder.note(new Event(Event.Kind.CLAIMED, KEY, 1, ""));
    runtime.advance(SOON);
    slow.isSilent = false;
    recorder.note(new Event(Event.Kind.COMPLETED, KEY, 1, ""));
    runtime.advance(SOON);
    assertThat(recorder.dropped()).isEqualTo(1);
    assertThat(slow.batches).hasSize(1);
  }
}
