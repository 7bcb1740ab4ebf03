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
import io.retrysafe.store.StoreException;
import io.retrysafe.store.redis.BatchLane.Limits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How calls become batches, and what the callers of one have in common. */
final class BatchLaneTest {
  private static final long FOR_EVER = Long.MAX_VALUE / 2;

  private final List<Sent> sent = new ArrayList<>();
  private final BatchLane lane =
      new BatchLane((Sender) this::send, new Limits(10, 8, FOR_EVER, false), null);

  /** A batch that a test answers. */
  private record Sent(
      List<ScriptCall> calls, boolean inFull, AsyncCommand<byte[], byte[], List<Object>> command) {
    void answer(Object... answers) {
      command.complete(List.of(answers));
    }
  }

  /** A transport whose replies are the answers themselves. */
  private interface Sender extends Batch.Transport {
    @Override
    default List<Object> answers(List<ScriptCall> calls, List<Object> reply) {
      if (reply.size() != calls.size()) {
        throw new IllegalStateException("not an answer for each call");
      }
      return reply;
    }

    @Override
    default void reconnect() {}
  }

  private RedisFuture<List<Object>> send(List<ScriptCall> calls, boolean inFull) {
    Sent batch =
        new Sent(calls, inFull, new AsyncCommand<>(new Command<>(CommandType.EVALSHA, null)));
    sent.add(batch);
    return batch.command();
  }

  private ScriptCall call() {
    return call(Duration.ofSeconds(30));
  }

  private ScriptCall call(Duration timeout) {
    return lane.send(new ScriptCall(timeout, new byte[0][]));
  }

  /** RedisCommands whose answers do not matter. */
  private void others(int count) {
    for (int i = 0; i < count; i++) {
      ScriptCall unused = call();
    }
  }

  private void large(int bytes) {
    ScriptCall unused =
        lane.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][], new byte[bytes]));
  }

  @Test
  void aLoneCallGoesOutAtOnce() {
    ScriptCall call = call();
    assertThat(sent).hasSize(1);
    sent.get(0).answer(7L);
    assertThat(call.await()).isEqualTo(7L);
  }

  @Test
  void whatComesMeanwhileIsTheNextBatch() {
    ScriptCall first = call();
    ScriptCall second = call();
    ScriptCall third = call();
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
    BatchLane far = new BatchLane((Sender) this::send, new Limits(10, 3, 0, false), null);
    for (int i = 0; i < 5; i++) {
      ScriptCall unused = far.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
    }
    assertThat(sent).as("no more than three at once").hasSize(3);
    sent.get(1).answer(1L);
    assertThat(sent.get(3).calls()).hasSize(2);
  }

  @Test
  void aBatchIsBoundedInCallsAndInBytes() {
    others(1);
    others(12);
    large(BatchLane.MOST_BYTES - 1);
    large(BatchLane.MOST_BYTES);
    large(1);
    for (int i = 0; i < sent.size(); i++) {
      sent.get(i).answer(sent.get(i).calls().stream().map(call -> 1L).toArray());
    }
    assertThat(sent).extracting(batch -> batch.calls().size()).containsExactly(1, 10, 4, 1);
  }

  @Test
  void whoGivesUpDoesNotDisturbTheOthersOfTheBatch() {
    others(1);
    ScriptCall impatient = call(Duration.ofMillis(20));
    ScriptCall patient = call();
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
    ScriptCall impatient = call(Duration.ofMillis(20));
    ScriptCall patient = call();
    assertThatThrownBy(impatient::await).isInstanceOf(NoAnswerException.class);
    sent.get(0).answer(1L);
    assertThat(sent.get(1).calls()).containsExactly(patient);
  }

  @Test
  void aBatchThatNobodyWaitsForIsCancelledAndMakesRoom() {
    ScriptCall impatient = call(Duration.ofMillis(20));
    ScriptCall next = call();
    assertThatThrownBy(impatient::await).isInstanceOf(NoAnswerException.class);
    assertThat(sent.get(0).command().isCancelled()).isTrue();
    sent.get(1).answer(2L);
    assertThat(next.await()).isEqualTo(2L);
  }

  @Test
  void whoGaveUpJustBeforeTheBatchWasSentCancelsItToo() {
    ScriptCall call = new ScriptCall(Duration.ofSeconds(30), new byte[0][]);
    Batch batch = new Batch((Sender) this::send, List.of(call), large -> {}, () -> {});
    call.cancel(false);
    batch.send(false);
    assertThat(sent.get(0).command().isCancelled()).isTrue();
  }

  @Test
  void whoIsInterruptedGivesUp() {
    ScriptCall call = call();
    Thread.currentThread().interrupt();
    assertThatThrownBy(call::await).isInstanceOf(NoAnswerException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(sent.get(0).command().isCancelled()).isTrue();
  }

  @Test
  void aLostCommandIsNoAnswerForAllOfItsCallersAndNoneForTheNext() {
    others(1);
    ScriptCall one = call();
    ScriptCall other = call();
    sent.get(0).answer(1L);
    ScriptCall next = call();
    sent.get(1).command().completeExceptionally(new RedisException("connection lost"));
    for (ScriptCall each : List.of(one, other)) {
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
    BatchLane closed =
        new BatchLane(
            (Sender)
                (calls, inFull) -> {
                  tries[0]++;
                  throw new IllegalStateException("closed");
                },
            new Limits(10, 1, FOR_EVER, false),
            null);
    for (int i = 1; i <= 2; i++) {
      ScriptCall call = closed.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
      assertThatThrownBy(call::await).isInstanceOf(NoAnswerException.class);
      assertThat(tries[0]).isEqualTo(i);
    }
  }

  @Test
  void aScriptThatTheServerForgotIsSentInFull() {
    ScriptCall call = call();
    sent.get(0).command().completeExceptionally(new RedisNoScriptException("NOSCRIPT"));
    assertThat(sent.get(1).inFull()).isTrue();
    assertThat(sent.get(1).calls()).containsExactly(call);
    sent.get(1).answer(1L);
    assertThat(call.await()).isEqualTo(1L);
  }

  @Test
  void whatWasLeftOutIsAskedAgain() {
    others(1);
    ScriptCall large = call();
    ScriptCall leftOut = call();
    sent.get(0).answer(1L);
    ScriptCall next = call();
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
    ScriptCall one = call();
    ScriptCall other = call();
    sent.get(0).answer(1L);
    sent.get(1).answer(2L);
    for (ScriptCall each : List.of(one, other)) {
      assertThatThrownBy(each::await).isInstanceOf(NoAnswerException.class);
    }
    others(1);
    assertThat(sent).as("the lane is free again").hasSize(3);
  }

  @Test
  void anErrorIsOneCallersOwn() {
    others(1);
    ScriptCall wrong = call();
    ScriptCall right = call();
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
    BatchLane failing =
        new BatchLane(
            (Sender)
                (calls, inFull) -> {
                  if (isOpen[0]) {
                    return send(calls, inFull);
                  }
                  long frames = StackWalker.getInstance().walk(Stream::count);
                  deepest[0] = Math.max(deepest[0], frames);
                  return failed();
                },
            new Limits(1, 1, FOR_EVER, false),
            null);
    List<ScriptCall> calls = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      calls.add(failing.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][])));
    }
    isOpen[0] = false;
    sent.get(0).command().completeExceptionally(new RedisException("closed"));
    Samples.await(() -> calls.stream().allMatch(ScriptCall::isDone));
    assertThat(deepest[0]).as("frames of the deepest sender").isLessThan(200);
    for (ScriptCall call : List.of(calls.get(0), calls.get(19_999))) {
      assertThatThrownBy(call::await).isInstanceOf(NoAnswerException.class);
    }
  }

  @Test
  void whoSendsForOthersGoesBackToItsOwnWork() {
    Thread self = Thread.currentThread();
    AtomicInteger own = new AtomicInteger();
    boolean[] isOpen = {true};
    BatchLane failing =
        new BatchLane(
            (Sender)
                (calls, inFull) -> {
                  if (isOpen[0]) {
                    return send(calls, inFull);
                  }
                  if (Thread.currentThread() == self) {
                    own.incrementAndGet();
                  }
                  return failed();
                },
            new Limits(1, 1, FOR_EVER, false),
            null);
    List<ScriptCall> calls = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      calls.add(failing.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][])));
    }
    isOpen[0] = false;
    sent.get(0).command().completeExceptionally(new RedisException("closed"));
    assertThat(own.get()).isLessThan(100);
    Samples.await(() -> calls.stream().allMatch(ScriptCall::isDone));
  }

  @Test
  void anErrorWhereCallsAreSentIsNoAnswerAndTheLaneGoesOn() {
    boolean[] isBroken = {true};
    BatchLane lane =
        new BatchLane(
            (Sender)
                (calls, inFull) -> {
                  if (isBroken[0]) {
                    throw new StackOverflowError("thrown where a command is sent");
                  }
                  return send(calls, inFull);
                },
            new Limits(10, 1, FOR_EVER, false),
            null);
    for (int i = 0; i < 20; i++) {
      ScriptCall call = lane.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
      assertThatThrownBy(call::await)
          .isInstanceOf(NoAnswerException.class)
          .hasRootCauseInstanceOf(StackOverflowError.class);
    }
    isBroken[0] = false;
    ScriptCall next = lane.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
    sent.get(0).answer(5L);
    assertThat(next.await()).isEqualTo(5L);
  }

  @Test
  void aLaneRejectsCallsWhenTooManyWait() {
    byte[] large = new byte[1 << 20];
    int waiting = (int) (BatchLane.MOST_WAITING_BYTES / (large.length + BatchLane.CALL_BYTES)) + 1;
    for (int i = 0; i <= waiting; i++) {
      ScriptCall call = lane.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][], large));
      assertThat(call).isNotDone();
    }
    assertThatThrownBy(call()::await)
        .isInstanceOf(NoAnswerException.class)
        .hasMessageContaining("too many calls wait");
    assertThat(sent).hasSize(1);
    sent.get(0).answer(1L);
    assertThat(call()).as("one more call was sent and made room").isNotDone();
  }

  @Test
  void callsOfAClusterShareABatchIfTheyShareASlot() {
    BatchLane cluster =
        new BatchLane((Sender) this::send, new Limits(10, Integer.MAX_VALUE, 0, true), null);
    List<ScriptCall> calls = new ArrayList<>();
    for (String slot : List.of("a", "b", "a", "c", "b", "a")) {
      byte[][] keys = {new byte[0], slot.getBytes(StandardCharsets.UTF_8)};
      calls.add(new ScriptCall(Duration.ofSeconds(30), keys));
    }
    cluster.send(calls);
    assertThat(sent)
        .extracting(Sent::calls)
        .containsExactly(
            List.of(calls.get(0), calls.get(2), calls.get(5)),
            List.of(calls.get(1), calls.get(4)),
            List.of(calls.get(3)));
    ScriptCall next = new ScriptCall(Duration.ofSeconds(30), new byte[][] {new byte[0]});
    assertThat(cluster.send(next)).isNotDone();
    assertThat(sent).hasSize(4);
    sent.get(1).answer(2L, 5L);
    assertThat(List.of(calls.get(1).await(), calls.get(4).await())).isEqualTo(List.of(2L, 5L));
  }

  /** A transport that counts how often its connection is closed. */
  private final class Reconnecting implements Sender {
    int reconnects;

    @Override
    public RedisFuture<List<Object>> send(List<ScriptCall> calls, boolean isFullText) {
      return BatchLaneTest.this.send(calls, isFullText);
    }

    @Override
    public void reconnect() {
      reconnects++;
    }
  }

  @Test
  void aConnectionIsClosedIfItsRepliesCannotBeTrustedOrItsServerIsAReplica() {
    Reconnecting transport = new Reconnecting();
    BatchLane lane = new BatchLane(transport, new Limits(10, 1, FOR_EVER, false), null);
    List<Consumer<Sent>> replies =
        List.of(
            one -> one.answer(1L, 2L),
            one -> one.command().completeExceptionally(new ClassCastException()),
            one -> one.command().completeExceptionally(new OutOfMemoryError("decoding")),
            one -> one.command().completeExceptionally(new RedisException("READONLY x")),
            one -> one.answer(List.of("READONLY x".getBytes(StandardCharsets.UTF_8))),
            one -> one.command().completeExceptionally(new RedisException("connection lost")),
            one -> one.answer(List.of("OOM x".getBytes(StandardCharsets.UTF_8))));
    List<Integer> reconnects = new ArrayList<>();
    for (Consumer<Sent> reply : replies) {
      ScriptCall call = lane.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
      reply.accept(sent.get(sent.size() - 1));
      assertThatThrownBy(call::await).isInstanceOf(StoreException.class);
      reconnects.add(transport.reconnects);
    }
    assertThat(reconnects).containsExactly(1, 2, 3, 4, 5, 5, 5);
  }

  /** A transport that throws an Error when it reads replies, until it is repaired. */
  private final class BrokenReading implements Sender {
    boolean isBroken = true;

    @Override
    public RedisFuture<List<Object>> send(List<ScriptCall> calls, boolean inFull) {
      return BatchLaneTest.this.send(calls, inFull);
    }

    @Override
    public List<Object> answers(List<ScriptCall> calls, List<Object> reply) {
      if (isBroken) {
        throw new OutOfMemoryError("thrown where a reply is read");
      }
      return Sender.super.answers(calls, reply);
    }
  }

  @Test
  void anErrorWhereAReplyIsReadIsNoAnswerAndTheLaneGoesOn() {
    BrokenReading wire = new BrokenReading();
    BatchLane lane = new BatchLane(wire, new Limits(10, 1, FOR_EVER, false), null);
    for (int i = 0; i < 20; i++) {
      ScriptCall call = lane.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
      sent.get(i).answer(1L);
      assertThatThrownBy(call::await)
          .isInstanceOf(NoAnswerException.class)
          .hasRootCauseInstanceOf(OutOfMemoryError.class);
    }
    wire.isBroken = false;
    ScriptCall next = lane.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
    sent.get(20).answer(5L);
    assertThat(next.await()).isEqualTo(5L);
  }

  @Test
  void aLargeAnswerIsAskedForInALaneOfItsOwnOneAtATime() {
    BatchLane alone = new BatchLane((Sender) this::send, Limits.ONE_AT_A_TIME, null);
    BatchLane shared =
        new BatchLane((Sender) this::send, new Limits(10, 8, FOR_EVER, false), alone);
    ScriptCall first = shared.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
    ScriptCall second = shared.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
    ScriptCall third = shared.send(new ScriptCall(Duration.ofSeconds(30), new byte[0][]));
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
    ScriptCall waiting = call();
    lane.close();
    ScriptCall late = call();
    for (ScriptCall each : List.of(waiting, late)) {
      assertThatThrownBy(each::await)
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("the store is closed");
    }
    assertThat(sent).hasSize(1);
  }
}
