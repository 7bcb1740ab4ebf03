// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import io.retrysafe.InProgressException;
import io.retrysafe.MismatchException;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.RetrysafeException;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.OutcomeKind;
import io.retrysafe.http.servlet.RetrysafeFilter;
import io.retrysafe.spring.Idempotent;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers what an {@link Idempotent} method inside a handler throws, with the same problems as the
 * filter's.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class ProblemAdvice {
  private final HttpGuard guard;

  ProblemAdvice(HttpGuard guard) {
    this.guard = guard;
  }

  @ExceptionHandler
  ResponseEntity<byte[]> problem(RetrysafeException exception, HttpServletRequest request) {
    Optional<Exchange> exchange = RetrysafeFilter.exchange(request);
    Optional<OutcomeKind> kind = kind(exception);
    if (exchange.isPresent() && kind.isPresent()) {
      exchange.get().outcome(kind.get());
    }
    Answer answer = guard.answer(exception);
    ResponseEntity.BodyBuilder builder = ResponseEntity.status(answer.status());
    answer.headers().forEach(header -> builder.header(header.name(), header.value()));
    return builder.body(answer.body().toArray());
  }

  /** A request that only met another's operation did nothing itself, and must not keep that. */
  private static Optional<OutcomeKind> kind(RetrysafeException exception) {
    if (exception instanceof InProgressException || exception instanceof MismatchException) {
      return Optional.of(OutcomeKind.REFUSED);
    }
    if (exception instanceof StoreUnavailableException silence) {
      return Optional.of(silence.workRan() ? OutcomeKind.UNKNOWN : OutcomeKind.REFUSED);
    }
    return exception instanceof OutcomeUnknownException
        ? Optional.of(OutcomeKind.UNKNOWN)
        : Optional.empty();
  }
}
