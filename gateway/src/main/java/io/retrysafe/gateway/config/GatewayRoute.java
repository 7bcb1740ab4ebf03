// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.retrysafe.http.HttpPolicy;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Requests that go to one upstream and are guarded alike. Immutable: every setter returns another
 * route.
 *
 * @param match method and path template, such as {@code POST /payments/{id}}
 * @param upstream the name of an upstream; null for the only one
 * @param forwardKey which key the upstream gets
 * @param policy what is different here from all routes
 * @param lookup how unknown outcomes are asked for; null for none
 * @param authorize who is asked whether a caller may see a recorded answer; null for nobody
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

  /** Everything that {@code http/semantics} can set for a route. */
  public GatewayRoute policy(HttpPolicy policy) {
    return new GatewayRoute(match, upstream, forwardKey, policy, lookup, authorize);
  }

  /** {@code recovery: { lookup: …, after: … }}: asks the upstream about unknown outcomes. */
  public GatewayRoute lookup(RecoveryLookup lookup) {
    return new GatewayRoute(match, upstream, forwardKey, policy, lookup, authorize);
  }

  /** {@code authorize}: asked before each replay; 401 and 403 there are passed on. */
  public GatewayRoute authorize(URI authorize) {
    return new GatewayRoute(match, upstream, forwardKey, policy, lookup, authorize);
  }
}
