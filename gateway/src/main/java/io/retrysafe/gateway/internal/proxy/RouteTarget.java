// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.config.ForwardKey;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.RecoveryLookup;
import io.retrysafe.gateway.internal.metrics.RouteCounters;
import io.retrysafe.gateway.internal.upstream.HeadWriter;
import io.retrysafe.gateway.internal.upstream.UpstreamCall;
import io.retrysafe.gateway.internal.upstream.Upstreams;
import io.retrysafe.gateway.internal.wire.FieldRules;
import io.retrysafe.http.Route;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The upstream of a route, and how requests are forwarded to it. */
final class RouteTarget {
  private final String name;
  private final @Nullable Route route;
  private final @Nullable GatewayRoute settings;
  private final RouteCounters counters;
  private final Upstreams.Endpoint endpoint;
  private final String authority;
  private final URI upstream;
  private final FieldRules fieldRules;

  RouteTarget(
      String name,
      @Nullable Route route,
      @Nullable GatewayRoute settings,
      URI upstream,
      FieldRules fieldRules,
      RouteCounters counters) {
    this.name = name;
    this.route = route;
    this.settings = settings;
    this.counters = counters;
    this.upstream = upstream;
    this.fieldRules = fieldRules;
    boolean isTls = upstream.getScheme().toLowerCase(Locale.ROOT).equals("https");
    int port = upstream.getPort() >= 0 ? upstream.getPort() : isTls ? 443 : 80;
    String host = upstream.getHost().replaceAll("^\\[|\\]$", "");
    this.endpoint = new Upstreams.Endpoint(host, port, isTls);
    this.authority = upstream.getRawAuthority();
  }

  String name() {
    return name;
  }

  @Nullable Route route() {
    return route;
  }

  ForwardKey forwardKey() {
    return settings == null ? ForwardKey.SAME : settings.forwardKey();
  }

  @Nullable RecoveryLookup lookup() {
    return settings == null ? null : settings.lookup();
  }

  @Nullable URI authorize() {
    return settings == null ? null : settings.authorize();
  }

  RouteCounters counters() {
    return counters;
  }

  URI upstream() {
    return upstream;
  }

  FieldRules fieldRules() {
    return fieldRules;
  }

  Upstreams.Endpoint endpoint() {
    return endpoint;
  }

  /**
   * Begins a request to the upstream with the headers of the incoming one, except the length of the
   * body and those in {@code without}.
   */
  HeadWriter head(
      UpstreamCall call, String method, String uri, HttpServerRequest in, List<String> without) {
    HeadWriter head = call.head(method, uri).add("Host", authority);
    ForwardedHeaders.request(in, head, without, fieldRules);
    return head;
  }

  @Override
  public String toString() {
    return name + " -> " + upstream;
  }
}
