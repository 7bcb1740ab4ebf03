// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.vertx.core.json.JsonObject;
import java.util.Map;

/**
 * A path of the admin API.
 *
 * @param method its method
 * @param path its path, exactly
 * @param access who may use it
 * @param work what it does, in a thread that may block
 */
record AdminEndpoint(String method, String path, Access access, Work work) {

  /** Who may use an endpoint. */
  enum Access {
    /** Everybody who reaches the port. */
    OPEN,
    /** Whoever has the viewer's token or the admin's. */
    VIEWER,
    /** Whoever has the admin's token. */
    ADMIN
  }

  /** What an endpoint does. */
  interface Work {
    /**
     * Answers a call; an {@link IllegalArgumentException} is told to the caller as 400.
     *
     * @param query the parameters of the query, the first of each name
     * @param body the body as text
     */
    Reply answer(Map<String, String> query, String body) throws Exception;
  }

  /** An answer. */
  record Reply(int status, String type, String body) {
    static Reply json(int status, JsonObject body) {
      return new Reply(status, "application/json", body.encode() + "\n");
    }

    static Reply text(int status, String body) {
      return new Reply(status, "text/plain; charset=utf-8", body);
    }

    /** Says what is wrong. */
    static Reply error(int status, String detail) {
      JsonObject problem = new JsonObject().put("status", status).put("detail", detail);
      return new Reply(status, "application/problem+json", problem.encode() + "\n");
    }
  }
}
