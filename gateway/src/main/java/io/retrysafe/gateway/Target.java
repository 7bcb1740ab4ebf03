// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.Route;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Where the requests of a route go, and how. */
final class Target {
  private final String name;
  private final @Nullable Route route;
  private final @Nullable GatewayRoute settings;
  private final RouteCounters counters;
  private final SocketAddress address;
  private final boolean isTls;
  private final String authority;
  private final URI upstream;
  private final long connectMillis;

  Target(
      String name,
      @Nullable Route route,
      @Nullable GatewayRoute settings,
      URI upstream,
      Limits limits,
      RouteCounters counters) {
    this.name = name;
    this.route = route;
    this.settings = settings;
    this.counters = counters;
    this.upstream = upstream;
    this.isTls = upstream.getScheme().toLowerCase(Locale.ROOT).equals("https");
    int port = upstream.getPort() >= 0 ? upstream.getPort() : isTls ? 443 : 80;
    String host = upstream.getHost().replaceAll("^\\[|\\]$", "");
    this.address = SocketAddress.inetSocketAddress(port, host);
    this.authority = upstream.getRawAuthority();
    this.connectMillis = limits.connectTimeout().toMillis();
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

  /** Returns a request to the upstream; redirects are the client's to follow. */
  RequestOptions request(HttpMethod method, String uri) {
    return new RequestOptions()
        .setServer(address)
        .setHost(address.host())
        .setPort(address.port())
        .setSsl(isTls)
        .setMethod(method)
        .setURI(uri)
        .setConnectTimeout(connectMillis)
        .setFollowRedirects(false);
  }

  /** Gives a request to the upstream the headers of the one that came in. */
  void head(HttpServerRequest in, HttpClientRequest out) {
    out.headers().add("Host", authority);
    Forwarding.request(in, out.headers());
  }

  @Override
  public String toString() {
    return name + " -> " + upstream;
  }
}
