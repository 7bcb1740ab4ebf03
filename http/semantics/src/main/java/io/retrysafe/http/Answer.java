// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A whole response to a caller.
 *
 * @param status the status
 * @param headers the header lines in order, without {@code Content-Length}
 * @param body the body's bytes
 * @param source whose answer it is
 * @param problem the problem, if the guard made the answer
 */
public record Answer(
    int status, List<Header> headers, Bytes body, Source source, Optional<ProblemType> problem) {

  /** Whose answer it is. */
  public enum Source {
    /** The handler's, just given. */
    HANDLER,
    /** The handler's, given before and kept. */
    REPLAY,
    /** A problem in the place of the handler's, given before and not kept. */
    NOT_KEPT,
    /** A problem found here. */
    PROBLEM
  }

  /** Makes an answer without a problem. */
  public Answer(int status, List<Header> headers, Bytes body, Source source) {
    this(status, headers, body, source, Optional.empty());
  }

  public Answer {
    headers = List.copyOf(headers);
  }

  /** Returns the length to announce; none for a status that has no body. */
  public OptionalInt contentLength() {
    boolean isBodiless = status < 200 || status == 204 || status == 304;
    return isBodiless ? OptionalInt.empty() : OptionalInt.of(body.size());
  }

  @Override
  public String toString() {
    return source + " " + status + ", " + body;
  }
}
