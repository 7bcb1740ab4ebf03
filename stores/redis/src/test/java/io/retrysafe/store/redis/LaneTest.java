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
import org.junit.jupiter.api.Test;

/** How calls become batches, and what the callers of one have in common. */
final class LaneTest {
  private static final long FOR_EVER = Long.MAX_VALUE / 2;

  private final List<Sent> sent = new ArrayList<>();
  private final Lane lane = new Lane(this::send, 10, 8, FOR_EVER);

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
    Lane far = new Lane(this::send, 10, 3, 0);
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
    Batch batch = new Batch(this::send, List.of(call), () -> {});
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
            FOR_EVER);
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
}
