// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.store.NoAnswerException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How calls become batches, and what the callers of one have in common. */
final class LaneTest {
  private static final long FOR_EVER = Long.MAX_VALUE / 2;

  private final List<Sent> sent = new ArrayList<>();
  private final Lane lane = new Lane(this::send, 10, 8, FOR_EVER, null);

  /** A batch that a test answers. */
  private record Sent(
      List<Call> calls, boolean inFull, AsyncCommand<byte[], byte[], List<Object>> command) {
    void answer(Object... answers) {
      command.complete(List.of(answers));
    }
  }

  private RedisFuture<List<Object>> send(List<Call> calls, boolean inFull) {
    Sent batch =
        new Sent(calls, inFull, new AsyncCommand<>(new Command<>(CommandType.EVALSHA, null)));
    sent.add(batch);
    return batch.command();
  }

  private Call call() {
    return call(Duration.ofSeconds(30));
  }

  private Call call(Duration timeout) {
    return lane.send(new Call(timeout, new byte[0][]));
  }

  /** Calls whose answers do not matter. */
  private void others(int count) {
    for (int i = 0; i < count; i++) {
      Call unused = call();
    }
  }

  private void large(int bytes) {
    Call unused = lane.send(new Call(Duration.ofSeconds(30), new byte[0][], new byte[bytes]));
  }

  @Test
  void aLoneCallGoesOutAtOnce() {
    Call call = call();
    assertThat(sent).hasSize(1);
    sent.get(0).answer(7L);
    assertThat(call.await()).isEqualTo(7L);
  }

  @Test
  void whatComesMeanwhileIsTheNextBatch() {
    Call first = call();
    Call second = call();
    Call third = call();
    assertThat(sent).hasSize(1);
    sent.get(0).answer(1L);
    assertThat(sent).hasSize(2);
    assertThat(sent.get(1).calls()).containsExactly(second, third);
    sent.get(1).answer(2L, 3L);
    assertThat(List.of(first.await(), second.await(), third.await()))
        .isEqualTo(List.of(1L, 2L, 3L));
  }

  @Test
  void aServerFarAwayGetsTheNextBatchBeforeItAnswered() {
    Lane far = new Lane(this::send, 10, 3, 0, null);
    for (int i = 0; i < 5; i++) {
      Call unused = far.send(new Call(Duration.ofSeconds(30), new byte[0][]));
    }
    assertThat(sent).as("no more than three at once").hasSize(3);
    sent.get(1).answer(1L);
    assertThat(sent.get(3).calls()).hasSize(2);
  }

  @Test
  void aBatchIsBoundedInCallsAndInBytes() {
    others(1);
    others(12);
    large(Lane.MOST_BYTES - 1);
    large(Lane.MOST_BYTES);
    large(1);
    for (int i = 0; i < sent.size(); i++) {
      sent.get(i).answer(sent.get(i).calls().stream().map(call -> 1L).toArray());
    }
    assertThat(sent).extracting(batch -> batch.calls().size()).containsExactly(1, 10, 4, 1);
  }

  @Test
  void whoGivesUpDoesNotDisturbTheOthersOfTheBatch() {
    others(1);
    Call impatient = call(Duration.ofMillis(20));
    Call patient = call();
    sent.get(0).answer(1L);
    assertThatThrownBy(impatient::await)
        .isInstanceOf(NoAnswerException.class)
        .hasMessageContaining("PT0.02S");
    assertThat(sent.get(1).command().isDone()).isFalse();
    sent.get(1).answer(2L, 3L);
    assertThat(patient.await()).isEqualTo(3L);
  }

  @Test
  void whoGaveUpInTheQueueIsNotSentAnyMore() {
    others(1);
    Call impatient = call(Duration.ofMillis(20));
    Call patient = call();
    assertThatThrownBy(impatient::await).isInstanceOf(NoAnswerException.class);
    sent.get(0).answer(1L);
    assertThat(sent.get(1).calls()).containsExactly(patient);
  }

  @Test
  void aBatchThatNobodyWaitsForIsCancelledAndMakesRoom() {
    Call impatient = call(Duration.ofMillis(20));
    Call next = call();
    assertThatThrownBy(impatient::await).isInstanceOf(NoAnswerException.class);
    assertThat(sent.get(0).command().isCancelled()).isTrue();
    sent.get(1).answer(2L);
    assertThat(next.await()).isEqualTo(2L);
  }

  @Test
  void whoGaveUpJustBeforeTheBatchWasSentCancelsItToo() {
    Call call = new Call(Duration.ofSeconds(30), new byte[0][]);
    Batch batch = new Batch(this::send, List.of(call), large -> {}, () -> {});
    call.cancel(false);
    batch.send(false);
    assertThat(sent.get(0).command().isCancelled()).isTrue();
  }

  @Test
  void whoIsInterruptedGivesUp() {
    Call call = call();
    Thread.currentThread().interrupt();
    assertThatThrownBy(call::await).isInstanceOf(NoAnswerException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(sent.get(0).command().isCancelled()).isTrue();
  }

  @Test
  void aLostCommandIsNoAnswerForAllOfItsCallersAndNoneForTheNext() {
    others(1);
    Call one = call();
    Call other = call();
    sent.get(0).answer(1L);
    Call next = call();
    sent.get(1).command().completeExceptionally(new RedisException("connection lost"));
    for (Call each : List.of(one, other)) {
      assertThatThrownBy(each::await)
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("connection lost");
    }
    sent.get(2).answer(4L);
    assertThat(next.await()).isEqualTo(4L);
  }

  @Test
  void aConnectionThatTakesNothingFailsTheCallAndLeavesNothingBehind() {
    int[] tries = {0};
    Lane closed =
        new Lane(
            (calls, inFull) -> {
              tries[0]++;
              throw new IllegalStateException("closed");
            },
            10,
            1,
            FOR_EVER,
            null);
    for (int i = 1; i <= 2; i++) {
      Call call = closed.send(new Call(Duration.ofSeconds(30), new byte[0][]));
      assertThatThrownBy(call::await).isInstanceOf(NoAnswerException.class);
      assertThat(tries[0]).isEqualTo(i);
    }
  }

  @Test
  void aScriptThatTheServerForgotIsSentInFull() {
    Call call = call();
    sent.get(0).command().completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
    assertThat(sent.get(1).inFull()).isTrue();
    assertThat(sent.get(1).calls()).containsExactly(call);
    sent.get(1).answer(1L);
    assertThat(call.await()).isEqualTo(1L);
  }

  @Test
  void whatWasLeftOutIsAskedAgain() {
    others(1);
    Call large = call();
    Call leftOut = call();
    sent.get(0).answer(1L);
    Call next = call();
    sent.get(1).answer(2L, List.of());
    assertThat(large.await()).isEqualTo(2L);
    assertThat(leftOut.isDone()).isFalse();
    assertThat(sent.get(2).calls()).containsExactly(leftOut);
    sent.get(2).answer(3L);
    assertThat(leftOut.await()).isEqualTo(3L);
    assertThat(sent.get(3).calls()).containsExactly(next);
  }

  @Test
  void answersThatDoNotFitTheCallsAreNone() {
    others(1);
    Call one = call();
    Call other = call();
    sent.get(0).answer(1L);
    sent.get(1).answer(2L);
    for (Call each : List.of(one, other)) {
      assertThatThrownBy(each::await).isInstanceOf(NoAnswerException.class);
    }
    others(1);
    assertThat(sent).as("the lane is free again").hasSize(3);
  }

  @Test
  void anErrorIsOneCallersOwn() {
    others(1);
    Call wrong = call();
    Call right = call();
    sent.get(0).answer(1L);
    sent.get(1).answer(List.of("WRONGTYPE x".getBytes(StandardCharsets.UTF_8)), 3L);
    assertThatThrownBy(wrong::await).hasMessageContaining("WRONGTYPE x");
    assertThat(right.await()).isEqualTo(3L);
  }

  /** A connection that fails everything at once, as one does that is closed. */
  private static RedisFuture<List<Object>> failed() {
    AsyncCommand<byte[], byte[], List<Object>> command =
        new AsyncCommand<>(new Command<>(CommandType.EVALSHA, null));
    command.completeExceptionally(new RedisException("closed"));
    return command;
  }

  @Test
  void aChainOfFailuresDoesNotNest() {
    long[] deepest = {0};
    boolean[] isOpen = {true};
    Lane failing =
        new Lane(
            (calls, inFull) -> {
              if (isOpen[0]) {
                return send(calls, inFull);
              }
              long frames = StackWalker.getInstance().walk(Stream::count);
              deepest[0] = Math.max(deepest[0], frames);
              return failed();
            },
            1,
            1,
            FOR_EVER,
            null);
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      calls.add(failing.send(new Call(Duration.ofSeconds(30), new byte[0][])));
    }
    isOpen[0] = false;
    sent.get(0).command().completeExceptionally(new RedisException("closed"));
    Samples.await(() -> calls.stream().allMatch(Call::isDone));
    assertThat(deepest[0]).as("frames of the deepest sender").isLessThan(200);
    for (Call call : List.of(calls.get(0), calls.get(19_999))) {
      assertThatThrownBy(call::await).isInstanceOf(NoAnswerException.class);
    }
  }

  @Test
  void whoSendsForOthersGoesBackToItsOwnWork() {
    Thread self = Thread.currentThread();
    AtomicInteger own = new AtomicInteger();
    boolean[] isOpen = {true};
    Lane failing =
        new Lane(
            (calls, inFull) -> {
              if (isOpen[0]) {
                return send(calls, inFull);
              }
              if (Thread.currentThread() == self) {
                own.incrementAndGet();
              }
              return failed();
            },
            1,
            1,
            FOR_EVER,
            null);
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      calls.add(failing.send(new Call(Duration.ofSeconds(30), new byte[0][])));
    }
    isOpen[0] = false;
    sent.get(0).command().completeExceptionally(new RedisException("closed"));
    assertThat(own.get()).isLessThan(100);
    Samples.await(() -> calls.stream().allMatch(Call::isDone));
  }

  @Test
  void anErrorWhereCallsAreSentIsNoAnswerAndTheLaneGoesOn() {
    boolean[] isBroken = {true};
    Lane lane =
        new Lane(
            (calls, inFull) -> {
              if (isBroken[0]) {
                throw new StackOverflowError("thrown where a command is sent");
              }
              return send(calls, inFull);
            },
            10,
            1,
            FOR_EVER,
            null);
    for (int i = 0; i < 20; i++) {
      Call call = lane.send(new Call(Duration.ofSeconds(30), new byte[0][]));
      assertThatThrownBy(call::await)
          .isInstanceOf(NoAnswerException.class)
          .hasRootCauseInstanceOf(StackOverflowError.class);
    }
    isBroken[0] = false;
    Call next = lane.send(new Call(Duration.ofSeconds(30), new byte[0][]));
    sent.get(0).answer(5L);
    assertThat(next.await()).isEqualTo(5L);
  }

  /** A wire whose reading of replies throws an Error as long as it is told to. */
  private final class BrokenReading implements Batch.Wire {
    boolean isBroken = true;

    @Override
    public RedisFuture<List<Object>> send(List<Call> calls, boolean inFull) {
      return LaneTest.this.send(calls, inFull);
    }

    @Override
    public List<Object> answers(List<Call> calls, List<Object> reply) {
      if (isBroken) {
        throw new OutOfMemoryError("thrown where a reply is read");
      }
      return Batch.Wire.super.answers(calls, reply);
    }
  }

  @Test
  void anErrorWhereAReplyIsReadIsNoAnswerAndTheLaneGoesOn() {
    BrokenReading wire = new BrokenReading();
    Lane lane = new Lane(wire, 10, 1, FOR_EVER, null);
    for (int i = 0; i < 20; i++) {
      Call call = lane.send(new Call(Duration.ofSeconds(30), new byte[0][]));
      sent.get(i).answer(1L);
      assertThatThrownBy(call::await)
          .isInstanceOf(NoAnswerException.class)
          .hasRootCauseInstanceOf(OutOfMemoryError.class);
    }
    wire.isBroken = false;
    Call next = lane.send(new Call(Duration.ofSeconds(30), new byte[0][]));
    sent.get(20).answer(5L);
    assertThat(next.await()).isEqualTo(5L);
  }

  @Test
  void aLargeAnswerIsAskedForInALaneOfItsOwnOneAtATime() {
    Lane alone = Lane.ofLarge(this::send);
    Lane shared = new Lane(this::send, 10, 8, FOR_EVER, alone);
    Call first = shared.send(new Call(Duration.ofSeconds(30), new byte[0][]));
    Call second = shared.send(new Call(Duration.ofSeconds(30), new byte[0][]));
    Call third = shared.send(new Call(Duration.ofSeconds(30), new byte[0][]));
    List<Object> announced = List.of("large".getBytes(StandardCharsets.UTF_8), 4_000_000L);
    sent.get(0).answer(announced);
    assertThat(sent.get(1).calls()).containsExactly(first);
    sent.get(2).answer(announced, announced);
    assertThat(sent).as("the others wait").hasSize(3);
    sent.get(1).answer(1L);
    assertThat(sent.get(3).calls()).containsExactly(second);
    assertThat(sent).hasSize(4);
    sent.get(3).answer(2L);
    sent.get(4).answer(3L);
    assertThat(List.of(first.await(), second.await(), third.await()))
        .isEqualTo(List.of(1L, 2L, 3L));
  }

  @Test
  void aClosedLaneFailsWhatWaitsAndWhatComes() {
    others(1);
    Call waiting = call();
    lane.close();
    assertThat(waiting).as("without waiting for the next call").isDone();
    Call late = call();
    for (Call each : List.of(waiting, late)) {
      assertThatThrownBy(each::await)
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("the store is closed");
    }
    assertThat(sent).hasSize(1);
  }
}
