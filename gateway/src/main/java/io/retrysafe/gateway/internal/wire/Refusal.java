// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.retrysafe.Bytes;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Header;
import java.util.List;

/** The refusal of a request, after which the gateway closes the connection. */
public record Refusal(int status, String detail) {

  /** Returns the refusal of a request that could not be parsed. */
  static Refusal malformed(Throwable cause) {
    int status =
        cause instanceof TooLongHttpLineException
            ? 414
            : cause instanceof TooLongHttpHeaderException ? 431 : 400;
    return new Refusal(status, "The request is not well-formed.");
  }

  /** Returns the answer to the client. */
  public Answer answer() {
    List<Header> headers = List.of(new Header("Content-Type", "text/plain"));
    return new Answer(status, headers, Bytes.utf8(detail + "\n"), Answer.Source.PROBLEM);
  }
}
