// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Bytes;
import io.retrysafe.internal.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A problem as clients get it: {@code application/problem+json} with {@code type}, {@code title},
 * {@code status}, {@code detail}, {@code retryable}, where it fits {@code retry_after} in seconds,
 * and members of its own.
 */
final class Problem {
  private final ProblemType type;
  private final String detail;
  private final Map<String, Object> members = new LinkedHashMap<>();
  private int status;
  private boolean isRetryable;
  private @Nullable Duration retryAfter;

  private Problem(ProblemType type, String detail) {
    this.type = type;
    this.detail = detail;
    this.status = type.status();
    this.isRetryable = type.isRetryable();
  }

  /** Returns a problem; {@code detail} is for people and holds neither key nor body. */
  static Problem of(ProblemType type, String detail) {
    return new Problem(type, detail);
  }

  Problem status(int status) {
    this.status = status;
    return this;
  }

  Problem retryable(boolean isRetryable) {
    this.isRetryable = isRetryable;
    return this;
  }

  Problem retryAfter(Duration retryAfter) {
    this.retryAfter = retryAfter;
    return this;
  }

  Problem member(String name, Object value) {
    members.put(name, value);
    return this;
  }

  Answer answer(String base) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("type", base + type.word());
    json.put("title", type.title());
    json.put("status", status);
    json.put("detail", detail);
    json.put("retryable", isRetryable);
    List<Header> headers = new ArrayList<>();
    headers.add(new Header("Content-Type", "application/problem+json"));
    headers.add(new Header("Cache-Control", "no-store"));
    if (retryAfter != null) {
      long seconds = Math.max(1, retryAfter.plusNanos(999_999_999).toSeconds());
      json.put("retry_after", seconds);
      headers.add(new Header("Retry-After", String.valueOf(seconds)));
    }
    json.putAll(members);
    Bytes body = Bytes.utf8(Json.write(json));
    return new Answer(status, headers, body, Answer.Source.PROBLEM, Optional.of(type));
  }
}
