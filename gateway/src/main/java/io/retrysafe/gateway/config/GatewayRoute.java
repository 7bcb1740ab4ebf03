// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.retrysafe.http.HttpPolicy;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A set of requests that go to one upstream under one policy. Immutable: every setter returns a new
 * route.
 *
 * @param match method and path template, such as {@code POST /payments/{id}}
 * @param upstream the name of an upstream; null for the only one
 * @param forwardKey which key the upstream gets
 * @param policy the settings that differ from the shared policy
 * @param lookup how the gateway looks up unknown outcomes; null for no lookup
 * @param authorize the URL that decides whether a caller may see a recorded answer; null for none
 */
public record GatewayRoute(
    String match,
    @Nullable String upstream,
    ForwardKey forwardKey,
    HttpPolicy policy,
    @Nullable RecoveryLookup lookup,
    @Nullable URI authorize) {

  /** Returns a route with all defaults: the only upstream, the caller's own key. */
  public static GatewayRoute create(String match) {
    return new GatewayRoute(match, null, ForwardKey.SAME, HttpPolicy.create(), null, null);
  }

  /** {@code upstream}: the name of the upstream; may be left out where there is one. */
  public GatewayRoute upstream(String upstream) {
    return new GatewayRoute(match, upstream, forwardKey, policy, lookup, authorize);
  }

  /** {@code forward-key}: which key the upstream gets, the caller's own by default. */
  public GatewayRoute forwardKey(ForwardKey forwardKey) {
    return new GatewayRoute(match, upstream, forwardKey, policy, lookup, authorize);
  }

  /** The HTTP policy of the route. */
  public GatewayRoute policy(HttpPolicy policy) {
    return new GatewayRoute(match, upstream, forwardKey, policy, lookup, authorize);
  }

  /**
   * {@code recovery: { lookup: …, after: … }}: how the gateway asks the upstream about unknown
   * outcomes.
   */
  public GatewayRoute lookup(RecoveryLookup lookup) {
    return new GatewayRoute(match, upstream, forwardKey, policy, lookup, authorize);
  }

  /**
   * {@code authorize}: the URL that the gateway asks before each replay; it passes 401 and 403 on.
   */
  public GatewayRoute authorize(URI authorize) {
    return new GatewayRoute(match, upstream, forwardKey, policy, lookup, authorize);
  }
}
