// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.Answer;
import io.retrysafe.http.Header;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Writes answers of the guard to the container's response. */
final class AnswerWriter {
  private AnswerWriter() {}

  /**
   * Sends a replay or a problem. Its headers replace those that earlier filters set, except Vary,
   * to which they are added.
   */
  static void send(Answer answer, HttpServletResponse response) throws IOException {
    response.resetBuffer();
    response.setStatus(answer.status());
    Set<String> known = new HashSet<>();
    for (Header header : answer.headers()) {
      boolean isFirst = known.add(header.name().toLowerCase(Locale.ROOT));
      if (header.is("Content-Type")) {
        response.setContentType(header.value());
      } else if (header.is("Vary")) {
        vary(header, response);
      } else if (isFirst) {
        response.setHeader(header.name(), header.value());
      } else {
        response.addHeader(header.name(), header.value());
      }
    }
    body(answer, response);
  }

  private static void vary(Header header, HttpServletResponse response) {
    Collection<String> there = response.getHeaders(header.name());
    if (there.stream().noneMatch(value -> value.equalsIgnoreCase(header.value()))) {
      response.addHeader(header.name(), header.value());
    }
  }

  static void body(Answer answer, HttpServletResponse response) throws IOException {
    answer.contentLength().ifPresent(response::setContentLength);
    if (!answer.body().isEmpty()) {
      answer.body().writeTo(response.getOutputStream());
    }
  }
}
