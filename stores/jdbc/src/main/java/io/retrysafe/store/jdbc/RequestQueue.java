// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.jdbc.AttemptResult.Answered;
import io.retrysafe.store.jdbc.AttemptResult.Failed;
import io.retrysafe.store.jdbc.AttemptResult.Large;
import io.retrysafe.store.jdbc.AttemptResult.None;
import io.retrysafe.store.jdbc.AttemptResult.Refused;
import io.retrysafe.store.jdbc.Request.ClaimRequest;
import io.retrysafe.store.jdbc.RetryLoop.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests through lanes, where they share statements with others, and by themselves where
 * that failed.
 *
 * <p>A key keeps to one lane, so that its requests do not wait for each other in the database;
 * claims of new keys have nothing to wait for. No lane is needed by any key: while the connection
 * of one hangs, the others take its requests.
 */
final class RequestQueue implements AutoCloseable {
  private final List<BatchLane> lanes;
  private final BatchStatements statements;
  private final Quarantine quarantine;

  /** The lane for requests of scopes that are in quarantine, where there is one. */
  private final @Nullable BatchLane isolation;

  private final RetryLoop retryLoop;
  private final LaneMonitor monitor;

  RequestQueue(
      List<BatchLane> lanes,
      @Nullable BatchLane isolation,
      Quarantine quarantine,
      BatchStatements statements,
      RetryLoop retryLoop,
      Duration timeout) {
    this.lanes = lanes;
    this.isolation = isolation;
    this.quarantine = quarantine;
    this.statements = statements;
    this.retryLoop = retryLoop;
    List<LongConsumer> checks = new ArrayList<>();
    all().forEach(lane -> checks.add(lane::expire));
    lanes.forEach(lane -> checks.add(now -> relieve(lane)));
    this.monitor = new LaneMonitor(checks, timeout);
    all().forEach(BatchLane::start);
    monitor.start();
  }

  private List<BatchLane> all() {
    List<BatchLane> all = new ArrayList<>(lanes);
    if (isolation != null) {
      all.add(isolation);
    }
    return all;
  }

  boolean isAlive() {
    return all().stream().allMatch(BatchLane::isAlive);
  }

  /**
   * Returns the answer to a request.
   *
   * @param whenInUse what to answer when the entry stays in use by another transaction; null for
   *     "no answer"
   */
  <T> T send(Request<T> request, @Nullable Supplier<T> whenInUse) {
    return await(put(request, retryLoop.deadline()), whenInUse);
  }

  /**
   * Sends as {@link #send} does, and holds no thread: only what the first attempt does not decide
   * continues in {@code blocking}.
   */
  <T> CompletionStage<T> sendLater(
      Request<T> request, @Nullable Supplier<T> whenInUse, Executor blocking) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Consumer<PendingRequest<T>> listener =
        pending -> {
          if (pending.result() instanceof Answered<T> answered) {
            answer.complete(answered.value());
          } else if (pending.result() instanceof Refused<T> refused) {
            answer.completeExceptionally(retryLoop.refused(refused.error()));
          } else {
            complete(answer, blocking, () -> await(pending, whenInUse));
          }
        };
    lane(request).submit(new PendingRequest<>(request, retryLoop.deadline(), listener));
    return answer;
  }

  /** Sends a request by itself in {@code blocking}, until the deadline of this thread. */
  <T> CompletionStage<T> sendAloneLater(Request<T> request, Executor blocking) {
    Time<T> time = new Time<>(retryLoop.deadline(), null);
    CompletableFuture<T> answer = new CompletableFuture<>();
    complete(answer, blocking, () -> retryLoop.send(request, false, time));
    return answer;
  }

  /** Returns the answer to a request that is sent by itself. */
  <T> T sendAlone(Request<T> request) {
    return retryLoop.send(request, retryLoop.deadline());
  }

  /** Sends requests before all that wait in their lanes, without waiting for them. */
  <T> List<PendingRequest<T>> submitFirst(List<? extends Request<T>> requests) {
    long deadline = retryLoop.deadline();
    List<PendingRequest<T>> sent = new ArrayList<>();
    for (Request<T> request : requests) {
      PendingRequest<T> pending = new PendingRequest<>(request, deadline);
      lane(request).submitFirst(pending);
      sent.add(pending);
    }
    return sent;
  }

  private static <T> void complete(
      CompletableFuture<T> future, Executor executor, Supplier<T> call) {
    Runnable work =
        () -> {
          try {
            future.complete(call.get());
          } catch (Throwable e) {
            future.completeExceptionally(e);
          }
        };
    try {
      executor.execute(work);
    } catch (Throwable e) {
      // The lane that notifies a caller must not fail with it, nor without a thread for it.
      future.completeExceptionally(e);
    }
  }

  private <T> PendingRequest<T> put(Request<T> request, long deadline) {
    PendingRequest<T> pending = new PendingRequest<>(request, deadline);
    lane(request).put(pending);
    return pending;
  }

  /** Returns the answer to a request that was sent, and sends it again while it is undecided. */
  <T> T await(PendingRequest<T> sent, @Nullable Supplier<T> whenInUse) {
    Time<T> time = new Time<>(sent.deadline(), sent.allowed(), whenInUse);
    AttemptResult<T> result = sent.await();
    for (int tries = 1; true; tries++) {
      if (result instanceof Answered<T> answered) {
        return answered.value();
      }
      if (result instanceof Refused<T> refused) {
        throw retryLoop.refused(refused.error());
      }
      if (result instanceof Failed<T> || result instanceof Large<T>) {
        // In a batch the fault may be another request's.
        return retryLoop.send(sent.request(), result instanceof Large<T>, time);
      }
      boolean inUse = !(result instanceof None<T>);
      if (time.isOver(inUse)) {
        return retryLoop.gaveUp(inUse, null, time);
      }
      RetryLoop.pause(tries);
      result = put(sent.request().again(), sent.deadline()).await();
    }
  }

  private BatchLane lane(Request<?> request) {
    if (isolation != null && quarantine.contains(request.scope())) {
      return isolation;
    }
    int count = lanes.size();
    int preferred = request.id().lane(count);
    if (count > 1 && statements.claimsAreNew()) {
      int forClaims = count / 2;
      preferred =
          request instanceof ClaimRequest
              ? request.id().lane(forClaims)
              : forClaims + request.id().lane(count - forClaims);
    }
    BatchLane lane = lanes.get(preferred);
    return lane.isStalled() ? other(lane) : lane;
  }

  /** Returns a lane that takes the requests of one that is stalled; itself if there is none. */
  private BatchLane other(BatchLane stalled) {
    for (BatchLane lane : lanes) {
      if (!lane.isStalled()) {
        return lane;
      }
    }
    return stalled;
  }

  /** Gives the requests that wait in a lane to another one while the lane is stalled. */
  private void relieve(BatchLane lane) {
    if (lane.isStalled()) {
      BatchLane other = other(lane);
      if (other != lane) {
        lane.moveTo(other);
      }
    }
  }

  /** Closes all lanes. Requests under way fail or are answered. */
  @Override
  public void close() {
    all().forEach(BatchLane::close);
    // Another process may have the file only when nothing here has it any more.
    all().forEach(BatchLane::awaitEnd);
    monitor.close();
  }
}
