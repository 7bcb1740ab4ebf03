// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.retrysafe.gateway.config.AdminToken;
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
    /** In the event loop: it never waits, and answers whatever else hangs. */
    LOOP,
    /** In threads of its own, so that no request to the API delays health and metrics. */
    HEALTH,
    /** With all other requests to the API. */
    API
  }

  /** Who may use an endpoint. */
  enum Access {
    /** Everyone who reaches the port. */
    OPEN,
    /** Holders of a viewer's or an operator's token. */
    VIEWER,
    /** Holders of an operator's token. */
    OPERATOR;

    /** Returns the access that a token's role gives. */
    static Access of(AdminToken.Role role) {
      return switch (role) {
        case VIEWER -> VIEWER;
        case OPERATOR -> OPERATOR;
      };
    }
  }

  /** What an endpoint does. */
  interface Work {
    /** Answers a call. An {@link IllegalArgumentException} becomes a 400. */
    Reply answer(Call call) throws Exception;
  }

  /**
   * A call.
   *
   * @param id the part of the path in place of {@code {id}}, as it was sent; empty without one
   * @param query the parameters of the query, the first of each name
   * @param body the body as text
   * @param wantsText whether the caller prefers plain text to JSON
   * @param caller the actor that the audit shows; null if the request names it
   */
  record Call(
      String id,
      Map<String, String> query,
      String body,
      boolean wantsText,
      @Nullable String caller) {

    /** Returns the members of the JSON object in the body. */
    Map<String, @Nullable Object> members() {
      return Json.object(body);
    }

    Reply reply(Result result) {
      return wantsText ? Reply.text(200, result.text()) : Reply.json(200, result.json());
    }
  }

  /**
   * Returns the value of {@code {id}}, or empty text if the path has none; empty if the path does
   * not match.
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

    /** Returns a problem. */
    static Reply problem(int status, String word, String detail) {
      Map<String, Object> problem = new LinkedHashMap<>();
      problem.put("type", "urn:retrysafe:problem:" + word);
      problem.put("status", status);
      problem.put("detail", detail);
      return new Reply(status, "application/problem+json", Json.write(problem) + "\n");
    }
  }
}
