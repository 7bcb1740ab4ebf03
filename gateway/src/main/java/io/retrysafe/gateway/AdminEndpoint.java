// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.internal.Json;
import io.retrysafe.operations.Result;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A path of the admin API.
 *
 * @param method its method
 * @param path its path; one part may be {@code {id}}
 * @param access who may use it
 * @param threads where it runs
 * @param work what it does
 */
record AdminEndpoint(String method, String path, Access access, Threads threads, Work work) {
  private static final String ID = "{id}";

  AdminEndpoint(String method, String path, Access access, Work work) {
    this(method, path, access, Threads.API, work);
  }

  /** Where an endpoint runs. */
  enum Threads {
    /** In the event loop: it waits for nothing, and is answered whatever else hangs. */
    LOOP,
    /** Apart from the API, so that no request to the API delays health and metrics. */
    HEALTH,
    /** With all other requests to the API. */
    API
  }

  /** Who may use an endpoint. */
  enum Access {
    /** Everybody who reaches the port. */
    OPEN,
    /** Whoever has the viewer's token or the operator's. */
    VIEWER,
    /** Whoever has the operator's token. */
    OPERATOR
  }

  /** What an endpoint does. */
  interface Work {
    /** Answers a call; an {@link IllegalArgumentException} is told to the caller as 400. */
    Reply answer(Call call) throws Exception;
  }

  /**
   * A call.
   *
   * @param id the part of the path in place of {@code {id}}, as it was sent; empty without one
   * @param query the parameters of the query, the first of each name
   * @param body the body as text
   * @param wantsText whether the caller would rather have text for people than JSON
   * @param caller what the audit calls the caller; null where the caller says that itself
   */
  record Call(
      String id,
      Map<String, String> query,
      String body,
      boolean wantsText,
      @Nullable String caller) {

    /** Returns the members of the JSON object that the body is. */
    Map<String, @Nullable Object> members() {
      return Json.object(body);
    }

    Reply reply(Result result) {
      return wantsText ? Reply.text(200, result.text()) : Reply.json(200, result.json());
    }
  }

  /**
   * Returns what stands in place of {@code {id}}, or empty text; nothing if another path is asked
   * for.
   */
  Optional<String> match(String asked) {
    int at = path.indexOf(ID);
    if (at < 0) {
      return asked.equals(path) ? Optional.of("") : Optional.empty();
    }
    String before = path.substring(0, at);
    String after = path.substring(at + ID.length());
    if (!asked.startsWith(before)
        || !asked.endsWith(after)
        || asked.length() <= before.length() + after.length()) {
      return Optional.empty();
    }
    String id = asked.substring(before.length(), asked.length() - after.length());
    return id.contains("/") ? Optional.empty() : Optional.of(id);
  }

  /** An answer. */
  record Reply(int status, String type, String body) {
    static Reply json(int status, String json) {
      return new Reply(status, "application/json", json + "\n");
    }

    static Reply text(int status, String body) {
      return new Reply(status, "text/plain; charset=utf-8", body);
    }

    /** Says what is wrong. */
    static Reply problem(int status, String word, String detail) {
      Map<String, Object> problem = new LinkedHashMap<>();
      problem.put("type", "urn:retrysafe:problem:" + word);
      problem.put("status", status);
      problem.put("detail", detail);
      return new Reply(status, "application/problem+json", Json.write(problem) + "\n");
    }
  }
}
