// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.account.ServerSecret;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.Statuses;
import io.retrysafe.http.settings.Unmatched;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The configuration of a gateway. Immutable, and checked when it is built. */
public final class GatewayConfig {
  private final Builder values;
  private final Map<String, URI> upstreams;
  private final List<GatewayRoute> routes;
  private final List<String> warnings;
  private final HttpPolicy policy;

  private GatewayConfig(Builder values) {
    this.values = values.copy();
    this.upstreams = Collections.unmodifiableMap(new LinkedHashMap<>(values.upstreams));
    this.routes = List.copyOf(values.routes);
    this.warnings = List.copyOf(values.warnings);
    this.policy = values.policy.anonymous(ConfigChecks.anonymous(values.anonymous, values.listen));
    ConfigChecks.accountHeaders(
        values.account.trustedHeaders(),
        values.listen,
        values.trustedProxies,
        values.accountHeaderTrusted);
    if (upstreams.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no upstream; name one, such as http://127.0.0.1:9000");
    }
    routes.forEach(this::upstream);
  }

  /** Returns a builder of a configuration with all defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder of a configuration with one upstream and all other defaults. */
  public static Builder builder(URI upstream) {
    return builder().upstream("default", upstream);
  }

  /** Returns the upstreams by name. */
  public Map<String, URI> upstreams() {
    return upstreams;
  }

  /** Returns the upstream of a route. */
  public URI upstream(GatewayRoute route) {
    if (route.upstream() == null) {
      if (upstreams.size() > 1) {
        throw new IllegalArgumentException(
            "the route " + route.match() + " must name one of the upstreams " + upstreams.keySet());
      }
      return upstream();
    }
    @Nullable URI upstream = upstreams.get(route.upstream());
    if (upstream == null) {
      throw new IllegalArgumentException(
          "the route "
              + route.match()
              + " names the upstream "
              + route.upstream()
              + "; there are "
              + upstreams.keySet());
    }
    return upstream;
  }

  /** Returns the upstream of requests that no route matches: the first. */
  public URI upstream() {
    return upstreams.values().iterator().next();
  }

  public List<GatewayRoute> routes() {
    return routes;
  }

  /** Returns the policy that all routes share, including the rule for anonymous callers. */
  public HttpPolicy policy() {
    return policy;
  }

  public Listen listen() {
    return values.listen;
  }

  public Listen admin() {
    return values.admin;
  }

  /** Returns the URL of the store. */
  public String store() {
    return values.store;
  }

  /** Returns the name that histories show for the gateway. */
  public String name() {
    return values.name;
  }

  /** Returns the URL of near copies; null for none. */
  public @Nullable String near() {
    return values.near;
  }

  public AccountResolver account() {
    return values.account;
  }

  /**
   * Returns the secret that derives accounts from credentials; null for the one that the store
   * keeps.
   */
  public @Nullable ServerSecret secret() {
    return values.secret;
  }

  /** Returns the proxies whose forwarding headers are trusted. */
  public TrustedProxies trustedProxies() {
    return values.trustedProxies;
  }

  /** Returns whether only trusted proxies may send the headers that name accounts. */
  public boolean isAccountHeaderGuarded() {
    return !values.trustedProxies.isEmpty();
  }

  public Mode mode() {
    return values.mode;
  }

  public Tokens tokens() {
    return values.tokens;
  }

  /** Returns additional host names of the admin port. */
  public List<String> adminHosts() {
    return values.adminHosts;
  }

  /** Returns the file to which generated tokens are written; null for none. */
  public @Nullable Path tokenFile() {
    return values.tokenFile;
  }

  public Limits limits() {
    return values.limits;
  }

  /** Returns a PEM file with the root certificates for upstreams; null for the JVM's. */
  public @Nullable Path upstreamRoots() {
    return values.upstreamRoots;
  }

  /** Returns warnings about values that are allowed but risky. */
  public List<String> warnings() {
    return warnings;
  }

  /** Returns whether clients may use HTTP/2 without TLS. */
  public boolean isH2c() {
    return values.h2c;
  }

  /** Returns whether log lines are JSON. */
  public boolean isJsonLog() {
    return values.jsonLog;
  }

  /** Settings of a gateway. */
  public static final class Builder implements Cloneable {
    private final Map<String, URI> upstreams = new LinkedHashMap<>();
    private final List<GatewayRoute> routes = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private HttpPolicy policy =
        HttpPolicy.create().unmatched(Unmatched.GUARD).unknown(Statuses.of(502, 504));
    private @Nullable Anonymous anonymous;
    private Listen listen = new Listen("127.0.0.1", 8080, null);
    private Listen admin = new Listen("127.0.0.1", 8081, null);
    private String store = "sqlite:retrysafe.db";
    private String name = HostName.get() + "-" + ProcessHandle.current().pid();
    private @Nullable String near;
    private AccountResolver account = AccountResolver.authorization();
    private @Nullable ServerSecret secret;
    private TrustedProxies trustedProxies = TrustedProxies.NONE;
    private boolean accountHeaderTrusted;
    private Mode mode = Mode.ENFORCE;
    private Tokens tokens = Tokens.NONE;
    private List<String> adminHosts = List.of();
    private @Nullable Path tokenFile;
    private Limits limits = Limits.create();
    private @Nullable Path upstreamRoots;
    private boolean h2c;
    private boolean jsonLog;

    private Builder() {}

    private Builder copy() {
      try {
        return (Builder) clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }

    /**
     * Adds an upstream. Requests that no route matches go to the first.
     *
     * @param url {@code http} or {@code https}, host and port; the gateway forwards paths unchanged
     */
    public Builder upstream(String name, URI url) {
      ConfigChecks.upstream(url);
      upstreams.put(name, url);
      return this;
    }

    /** Adds a route. The first route that matches a request applies. */
    public Builder route(GatewayRoute route) {
      routes.add(route);
      return this;
    }

    /**
     * The policy that all routes share, apart from {@link #anonymous}. By default the gateway also
     * guards requests that no route matches: POST and PATCH need a key, PUT and DELETE honour one.
     * The statuses 502 and 504, which may come from another gateway, leave the outcome unknown.
     */
    public Builder policy(HttpPolicy policy) {
      this.policy = policy;
      return this;
    }

    /** Returns the policy as set so far. */
    public HttpPolicy policy() {
      return policy;
    }

    /**
     * {@code anonymous}: what callers without identity get. It must be set unless the listener is
     * on loopback, where such callers share one account by default.
     */
    public Builder anonymous(Anonymous anonymous) {
      this.anonymous = anonymous;
      return this;
    }

    /** {@code listen}: where requests come in, 127.0.0.1:8080 by default. */
    public Builder listen(Listen listen) {
      this.listen = listen;
      return this;
    }

    /** {@code admin}: where health, metrics and the admin API are, 127.0.0.1:8081 by default. */
    public Builder admin(Listen admin) {
      this.admin = admin;
      return this;
    }

    /** {@code store}: the URL of the store, {@code sqlite:retrysafe.db} by default. */
    public Builder store(String url) {
      this.store = url;
      return this;
    }

    /**
     * {@code name}: the name that histories show for the gateway, 1 to 60 characters; host name and
     * process id by default.
     */
    public Builder name(String name) {
      ConfigChecks.name(name);
      this.name = name;
      return this;
    }

    /** {@code near}: the URL of near copies, none by default. */
    public Builder near(@Nullable String url) {
      this.near = url;
      return this;
    }

    /** {@code account}: who calls, an HMAC of the Authorization header by default. */
    public Builder account(AccountResolver account) {
      this.account = account;
      return this;
    }

    /**
     * {@code secret-file}: the secret that derives accounts from credentials, the same for all
     * gateways on a store; by default one that the store keeps.
     */
    public Builder secret(@Nullable ServerSecret secret) {
      this.secret = secret;
      return this;
    }

    /**
     * {@code trusted-proxies}: the proxies whose {@code X-Forwarded-*} headers the gateway keeps,
     * and which alone may send the header of {@link AccountResolver#header}; none by default.
     */
    public Builder trustedProxies(TrustedProxies proxies) {
      this.trustedProxies = proxies;
      return this;
    }

    /**
     * {@code account-header-trusted}: whether every peer may send the header of {@link
     * AccountResolver#header}, because only a proxy that sets it can connect; false by default.
     */
    public Builder accountHeaderTrusted(boolean isTrusted) {
      this.accountHeaderTrusted = isTrusted;
      return this;
    }

    /** {@code mode}: enforce by default. */
    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    /**
     * {@code admin-hosts}: additional host names under which clients may reach the admin port, none
     * by default. Any address, {@code localhost} and the host of {@code admin} are always allowed.
     */
    public Builder adminHosts(List<String> names) {
      names.forEach(ConfigChecks::hostName);
      this.adminHosts = List.copyOf(names);
      return this;
    }

    /** {@code token-file}: the file to which generated tokens are written; none by default. */
    public Builder tokenFile(@Nullable Path file) {
      this.tokenFile = file;
      return this;
    }

    /** {@code admin-token}, {@code viewer-token} and {@code tokens}: none by default. */
    public Builder tokens(Tokens tokens) {
      this.tokens = tokens;
      return this;
    }

    /** Time-outs and sizes. */
    public Builder limits(Limits limits) {
      this.limits = limits;
      return this;
    }

    /** {@code upstream-roots}: a PEM file with roots of upstreams' certificates. */
    public Builder upstreamRoots(@Nullable Path pem) {
      this.upstreamRoots = pem;
      return this;
    }

    /** Adds a warning about this configuration, which the gateway logs when it starts. */
    public Builder warning(String text) {
      warnings.add(text);
      return this;
    }

    /**
     * {@code h2c}: whether clients may use HTTP/2 without TLS on the main port, with prior
     * knowledge; false by default. The gateway never upgrades a connection to it.
     */
    public Builder h2c(boolean h2c) {
      this.h2c = h2c;
      return this;
    }

    /** {@code log: json}: whether log lines are JSON, text by default. */
    public Builder jsonLog(boolean jsonLog) {
      this.jsonLog = jsonLog;
      return this;
    }

    /**
     * Returns the configuration.
     *
     * @throws IllegalArgumentException if values contradict each other; the message says which
     */
    public GatewayConfig build() {
      return new GatewayConfig(this);
    }
  }
}
