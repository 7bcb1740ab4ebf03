// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.AnswerNotKeptException;
import io.retrysafe.Bytes;
import io.retrysafe.InProgressException;
import io.retrysafe.MismatchException;
import io.retrysafe.OperationFailedException;
import io.retrysafe.Outcome;
import io.retrysafe.RetrysafeException;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.http.settings.Settings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answers that a route gives without its handler. */
final class Answers {
  private static final Duration SOON = Duration.ofSeconds(1);

  private final HttpPolicy policy;
  private final RouteTimes times;

  Answers(HttpPolicy policy, RouteTimes times) {
    this.policy = policy;
    this.times = times;
  }

  Answer of(Problem problem) {
    return problem.answer(policy.get(Settings.PROBLEM_BASE));
  }

  Answer of(ProblemType type, String detail) {
    return of(Problem.of(type, detail));
  }

  /** Says why nothing was done. */
  Answer nothingRan(ProblemType type, String detail) {
    return switch (type) {
      case TOO_MANY_OPERATIONS -> tooManyOperations(detail);
      case STORE_UNAVAILABLE -> storeUnavailable(false, detail);
      case QUOTA_EXCEEDED, STORE_FULL -> of(Problem.of(type, detail).retryAfter(Quotas.RENEWED));
      default -> of(type, detail);
    };
  }

  /** Says what the handler said before, or that it was not kept. */
  Answer replay(Outcome outcome) {
    boolean isAnswer = outcome.status() >= 200 && outcome.status() <= 599;
    if (outcome.isKept() && isAnswer) {
      return StoredHeaders.replay(outcome);
    }
    Problem problem =
        Problem.of(
            ProblemType.ANSWER_NOT_KEPT,
            "The operation was done before and is not done again, but its answer was too large to"
                + " keep, or was streamed.");
    Answer answer = of(isAnswer ? problem.member("original_status", outcome.status()) : problem);
    return new Answer(
        answer.status(), answer.headers(), answer.body(), Answer.Source.NOT_KEPT, answer.problem());
  }

  /** Says that a recorded answer is not for this caller. */
  Answer replayRefused(int status) {
    return of(
        Problem.of(
                ProblemType.REPLAY_REFUSED,
                "The operation was done before; its answer is not for this caller any more.")
            .status(status));
  }

  /** Says what the handler said before, if it was said to the same credential. */
  Answer replay(Outcome outcome, @Nullable Credential credential) {
    return credential == null || credential.isOn(outcome) ? replay(outcome) : replayRefused(403);
  }

  /** The engine guesses from this one run; a route that has ended before knows better. */
  Answer inProgress(Duration guess) {
    return of(
        Problem.of(
                ProblemType.IN_PROGRESS,
                "A request with this key is being worked on. Send the same request again later to"
                    + " get its answer.")
            .status(policy.get(Settings.IN_PROGRESS_STATUS))
            .retryAfter(times.usual().orElse(guess)));
  }

  Answer keyReused() {
    return of(
        Problem.of(
                ProblemType.KEY_REUSED,
                "This key was used before, for a request that differs from this one. Use a new key"
                    + " for a new operation.")
            .status(policy.get(Settings.KEY_REUSED_STATUS)));
  }

  Answer outcomeUnknown() {
    return of(
        ProblemType.OUTCOME_UNKNOWN,
        "An earlier attempt was cut off and may have had its effect. Do not send the request under"
            + " a new key: it stays unknown until it is resolved.");
  }

  Answer storeUnavailable(boolean workRan) {
    String detail =
        workRan
            ? "The work ran, its record is pending. Send the same request again, with the same key,"
                + " to get its answer."
            : "Nothing ran. Send the same request again, with the same key.";
    return storeUnavailable(workRan, detail);
  }

  Answer storeUnavailable(boolean workRan, String detail) {
    return of(
        Problem.of(ProblemType.STORE_UNAVAILABLE, detail)
            .retryAfter(SOON)
            .member("work_ran", workRan));
  }

  Answer of(RetrysafeException exception) {
    if (exception instanceof InProgressException running) {
      return inProgress(running.retryAfter());
    }
    if (exception instanceof MismatchException) {
      return keyReused();
    }
    if (exception instanceof StoreUnavailableException silence) {
      return storeUnavailable(silence.workRan());
    }
    if (exception instanceof AnswerNotKeptException notKept) {
      return replay(Outcome.of(notKept.status(), List.of(), Bytes.EMPTY).withoutAnswer());
    }
    if (exception instanceof OperationFailedException) {
      return of(ProblemType.OPERATION_FAILED, "The operation ended with an error.");
    }
    return outcomeUnknown();
  }

  Answer authorizerUnavailable() {
    return of(
        Problem.of(
                ProblemType.AUTHORIZER_UNAVAILABLE,
                "The operation was done before, but whether this caller may see its answer cannot be"
                    + " checked now. Send the same request again, with the same key.")
            .retryAfter(SOON));
  }

  Answer tooManyOperations(String detail) {
    return of(
        Problem.of(ProblemType.TOO_MANY_OPERATIONS, detail).retryAfter(times.usual().orElse(SOON)));
  }

  Answer tooLarge() {
    return of(
        ProblemType.BODY_TOO_LARGE,
        "The body has more than the " + policy.get(Settings.BODY_LIMIT) + " bytes allowed here.");
  }
}
