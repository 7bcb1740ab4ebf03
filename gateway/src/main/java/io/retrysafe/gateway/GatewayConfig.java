// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

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
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything that a gateway is told. Immutable, and checked when it is built. */
public final class GatewayConfig {
  private final Builder values;
  private final Map<String, URI> upstreams;
  private final List<GatewayRoute> routes;
  private final HttpPolicy policy;

  private GatewayConfig(Builder values) {
    this.values = new Builder(values);
    this.upstreams = Collections.unmodifiableMap(new LinkedHashMap<>(values.upstreams));
    this.routes = List.copyOf(values.routes);
    this.policy = policy(values);
    checkAccountHeaders(values);
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

  /** Returns a builder of a configuration before {@code upstream} with all other defaults. */
  public static Builder builder(URI upstream) {
    return builder().upstream("default", upstream);
  }

  private static HttpPolicy policy(Builder values) {
    if (values.anonymous != null) {
      return values.policy.anonymous(values.anonymous);
    }
    if (!values.listen.isLoopback()) {
      throw new IllegalArgumentException(
          "anonymous must be refuse or shared, because "
              + values.listen
              + " can be reached from other machines: say what callers without identity get");
    }
    return values.policy.anonymous(Anonymous.SHARED);
  }

  private static void checkAccountHeaders(Builder values) {
    List<String> headers = values.account.trustedHeaders();
    if (headers.isEmpty()) {
      return;
    }
    if (values.accountHeaderTrusted && !values.trustedProxies.isEmpty()) {
      throw new IllegalArgumentException(
          "account-header-trusted lets every peer set "
              + headers
              + ", trusted-proxies only some: leave one of them out");
    }
    if (!values.accountHeaderTrusted
        && values.trustedProxies.isEmpty()
        && !values.listen.isLoopback()) {
      throw new IllegalArgumentException(
          "account is what "
              + headers
              + " says, and "
              + values.listen
              + " can be reached from other machines: set trusted-proxies to the networks of the"
              + " proxies that set it, or account-header-trusted: true if nobody else can connect");
    }
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
            "the route "
                + route.match()
                + " must name one of the upstreams "
                + values.upstreams.keySet());
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
              + values.upstreams.keySet());
    }
    return upstream;
  }

  /** Returns the upstream of requests that no route matches: the first. */
  public URI upstream() {
    return values.upstreams.values().iterator().next();
  }

  public List<GatewayRoute> routes() {
    return routes;
  }

  /** Returns what holds for all routes, anonymous callers included. */
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

  /** Returns what histories call the gateway. */
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
   * Returns the secret that makes accounts of credentials; null for the one that the store keeps.
   */
  public @Nullable ServerSecret secret() {
    return values.secret;
  }

  /** Returns the proxies whose word about a request's origin counts. */
  public TrustedProxies trustedProxies() {
    return values.trustedProxies;
  }

  /** Returns whether only trusted proxies may send the headers that name accounts. */
  boolean isAccountHeaderGuarded() {
    return !values.trustedProxies.isEmpty();
  }

  public Mode mode() {
    return values.mode;
  }

  public Tokens tokens() {
    return values.tokens;
  }

  /** Returns further names of the admin port's host. */
  public List<String> adminHosts() {
    return values.adminHosts;
  }

  /** Returns where tokens are written that were made for a run; null for nowhere. */
  public @Nullable Path tokenFile() {
    return values.tokenFile;
  }

  public Limits limits() {
    return values.limits;
  }

  /** Returns a PEM file with the roots that upstreams are trusted by; null for the JVM's. */
  public @Nullable Path upstreamRoots() {
    return values.upstreamRoots;
  }

  /** Returns what is allowed here but unwise, for people. */
  public List<String> warnings() {
    return Collections.unmodifiableList(values.warnings);
  }

  /** Returns whether HTTP/2 is spoken without TLS. */
  public boolean isH2c() {
    return values.h2c;
  }

  /** Returns whether log lines are JSON. */
  public boolean isJsonLog() {
    return values.jsonLog;
  }

  /** Settings of a gateway. */
  public static final class Builder {
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

    private Builder(Builder other) {
      upstreams.putAll(other.upstreams);
      routes.addAll(other.routes);
      warnings.addAll(other.warnings);
      policy = other.policy;
      anonymous = other.anonymous;
      listen = other.listen;
      admin = other.admin;
      store = other.store;
      name = other.name;
      near = other.near;
      account = other.account;
      secret = other.secret;
      trustedProxies = other.trustedProxies;
      accountHeaderTrusted = other.accountHeaderTrusted;
      mode = other.mode;
      tokens = other.tokens;
      adminHosts = other.adminHosts;
      tokenFile = other.tokenFile;
      limits = other.limits;
      upstreamRoots = other.upstreamRoots;
      h2c = other.h2c;
      jsonLog = other.jsonLog;
    }

    /**
     * Adds an upstream. Requests that no route matches go to the first.
     *
     * @param url {@code http} or {@code https}, host and port; paths are as they come
     */
    public Builder upstream(String name, URI url) {
      String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
      boolean isPlain =
          (url.getRawPath() == null || url.getRawPath().isEmpty() || url.getRawPath().equals("/"))
              && url.getRawQuery() == null
              && url.getRawFragment() == null
              && url.getRawUserInfo() == null;
      if (!(scheme.equals("http") || scheme.equals("https")) || url.getHost() == null || !isPlain) {
        throw new IllegalArgumentException(
            "an upstream is http:// or https://, a host and a port, was "
                + url.toString().replaceAll("//.*@", "//…@"));
      }
      upstreams.put(name, url);
      return this;
    }

    /** Adds a route; the first that matches a request counts. */
    public Builder route(GatewayRoute route) {
      routes.add(route);
      return this;
    }

    /**
     * What holds for all routes, apart from {@link #anonymous}. By default requests that no route
     * matches are guarded too, POST and PATCH need a key there, PUT and DELETE honour one; and 502
     * and 504, which another gateway may have said, leave the outcome unknown.
     */
    public Builder policy(HttpPolicy policy) {
      this.policy = policy;
      return this;
    }

    /** Returns what is set so far for all routes. */
    public HttpPolicy policy() {
      return policy;
    }

    /**
     * {@code anonymous}: what callers without identity get. Must be set unless the listener is on
     * loopback, where they share one account by default.
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
     * {@code name}: what histories call the gateway, 1 to 60 characters; the host's name and the
     * process id by default.
     */
    public Builder name(String name) {
      if (name.isBlank() || name.length() > 60 || name.chars().anyMatch(Character::isISOControl)) {
        throw new IllegalArgumentException("a name has 1 to 60 characters on one line");
      }
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
     * {@code secret-file}: the secret that makes accounts of credentials, the same for all gateways
     * on a store; one that the store keeps by default.
     */
    public Builder secret(@Nullable ServerSecret secret) {
      this.secret = secret;
      return this;
    }

    /**
     * {@code trusted-proxies}: whose {@code X-Forwarded-*} headers are kept and who alone may send
     * the header of {@link AccountResolver#header}; none by default.
     */
    public Builder trustedProxies(TrustedProxies proxies) {
      this.trustedProxies = proxies;
      return this;
    }

    /**
     * {@code account-header-trusted}: whether every peer may send the header of {@link
     * AccountResolver#header}, because nobody but a proxy that sets it can connect; false by
     * default.
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
     * {@code admin-hosts}: further host names under which the admin port may be asked, none by
     * default. Any address, {@code localhost} and the host of {@code admin} are always allowed.
     */
    public Builder adminHosts(List<String> names) {
      for (String name : names) {
        if (!name.matches("[A-Za-z0-9_.-]{1,253}")) {
          throw new IllegalArgumentException("\"" + name + "\" is not a host name without a port");
        }
      }
      this.adminHosts = List.copyOf(names);
      return this;
    }

    /**
     * {@code token-file}: where tokens are written that were made for a run; nowhere by default.
     */
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

    /** Adds what people should know about where this came from. */
    void warning(String text) {
      warnings.add(text);
    }

    /**
     * {@code h2c}: whether clients may speak HTTP/2 without TLS where requests come in, from the
     * first byte on; false by default. Nothing is ever upgraded to it.
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
     * @throws IllegalArgumentException if something does not fit together, saying what
     */
    public GatewayConfig build() {
      return new GatewayConfig(this);
    }
  }
}
