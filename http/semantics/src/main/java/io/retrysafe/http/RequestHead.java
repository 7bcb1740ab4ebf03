// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request before its body is read.
 *
 * @param method the method, as sent
 * @param path the path, as sent: still percent-encoded, without the query
 * @param query the query, as sent, without the question mark; null where there is none
 * @param headers all header lines, in order
 * @param account who calls, as the server knows it, never by the client's word alone; null where
 *     the caller has no identity
 * @param version the API version that the server resolved for the request; null where there is none
 */
public record RequestHead(
    String method,
    String path,
    @Nullable String query,
    List<Header> headers,
    @Nullable String account,
    @Nullable String version) {

  public RequestHead {
    headers = List.copyOf(headers);
  }

  /** Returns the head of a request without an API version. */
  public static RequestHead of(
      String method,
      String path,
      @Nullable String query,
      List<Header> headers,
      @Nullable String account) {
    return new RequestHead(method, path, query, headers, account, null);
  }

  /** Names method and path only: a query or a header may hold a secret. */
  @Override
  public String toString() {
    return method + " " + path;
  }
}
