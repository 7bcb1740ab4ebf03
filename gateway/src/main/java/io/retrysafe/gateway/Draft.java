// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.Settings;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A configuration while it is read. */
final class Draft {
  private static final long LARGEST_SECRET = 64 * 1024;

  final GatewayConfig.Builder config = GatewayConfig.builder();
  final Folder folder;
  Listen listen = Listen.parse("127.0.0.1:8080");
  Listen admin = Listen.parse("127.0.0.1:8081");
  Limits limits = Limits.create();
  @Nullable Tls tls;
  @Nullable Tls adminTls;
  @Nullable String adminToken;
  @Nullable String viewerToken;
  private final List<AdminToken> namedTokens = new ArrayList<>();
  private final Map<String, URI> upstreams = new LinkedHashMap<>();
  private boolean hasSecret;
  private final Matches matches = new Matches();

  Draft(Folder folder) {
    this.folder = folder;
  }

  void upstreams(Value value) {
    Value.Members members = value.members();
    members.values().forEach((name, url) -> upstreams.put(name, Urls.upstream(name, url)));
    if (upstreams.isEmpty()) {
      throw new IllegalArgumentException("there is none");
    }
  }

  /** One address replaces one address; which of several it would replace nobody could say. */
  void upstream(Value value) {
    if (upstreams.size() > 1) {
      throw value
          .place()
          .error("the file names the upstreams " + upstreams.keySet() + "; change them there");
    }
    String name = upstreams.isEmpty() ? "default" : upstreams.keySet().iterator().next();
    upstreams.put(name, Urls.upstream(name, value));
  }

  Tls tls(Value value) {
    Value.Members members = value.members();
    members.only("a certificate", List.of("certificate", "key"));
    Tls tls = new Tls(folder.file(members, "certificate"), folder.file(members, "key"));
    PemKeyCertOptions unused = Pem.pair(tls.certificate(), tls.key());
    return tls;
  }

  void secretFile(Value value) {
    Path file = folder.file(value);
    try {
      if (Files.size(file) > LARGEST_SECRET) {
        throw value.place().error("the file " + file + " is larger than a secret");
      }
      secret(ServerSecret.of(Files.readAllBytes(file)));
      SecretFiles.warning(file, "secret-file").ifPresent(config::warning);
    } catch (IOException e) {
      throw value.place().error("the file " + file + " cannot be read");
    }
  }

  void secret(Value value) {
    secret(ServerSecret.of(value.text().getBytes(StandardCharsets.UTF_8)));
  }

  private void secret(ServerSecret secret) {
    if (hasSecret) {
      throw new IllegalArgumentException("there is RETRYSAFE_SECRET too: keep one of them");
    }
    hasSecret = true;
    config.secret(secret);
  }

  static TrustedProxies proxies(Value value) {
    return TrustedProxies.of(texts(value));
  }

  /** Returns the texts of a list, or one text. */
  static List<String> texts(Value value) {
    List<Value> items = value instanceof Value.Items list ? list.items() : List.of(value);
    return items.stream().map(Value::text).toList();
  }

  void tokens(Value value) {
    if (!(value instanceof Value.Items items)) {
      throw new IllegalArgumentException("a list was expected");
    }
    for (Value each : items.items()) {
      Value.Members members = each.members();
      members.only("a token", List.of("name", "role", "sha256", "expires"));
      try {
        Value role = members.values().get("role");
        namedTokens.add(
            new AdminToken(
                members.required("name"),
                Words.of(AdminToken.Role.class, role == null ? members : role),
                members.required("sha256"),
                expires(members)));
      } catch (ConfigException e) {
        throw e;
      } catch (IllegalArgumentException e) {
        throw each.place().error("a token cannot be used: " + e.getMessage());
      }
    }
  }

  private static @Nullable Instant expires(Value.Members members) {
    if (!members.values().containsKey("expires")) {
      return null;
    }
    String text = members.required("expires");
    try {
      return text.length() == "2027-01-31".length()
          ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
          : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "expires must be a time such as 2027-01-31T00:00:00Z, was " + text, e);
    }
  }

  void tokenFile(Value value) {
    config.tokenFile(folder.path(value));
  }

  void upstreamRoots(Value value) {
    Path file = folder.file(value);
    PemTrustOptions unused = Pem.roots(file);
    config.upstreamRoots(file);
  }

  /** Sets what {@code http/semantics} knows. */
  void setting(String name, Value value) {
    HttpPolicy policy = Policies.with(config.policy(), name, value);
    config.policy(policy);
    if (name.equals("anonymous")) {
      config.anonymous((Anonymous) policy.get(Settings.named(name)));
    }
  }

  void routes(Value value) {
    if (!(value instanceof Value.Items items)) {
      throw new IllegalArgumentException("each route begins with a hyphen: - match: POST /path");
    }
    for (Value each : items.items()) {
      if (!(each instanceof Value.Members members)) {
        throw each.place().error("a route is a map, such as match: POST /payments, was " + each);
      }
      config.route(new RouteDraft(matches, upstreams.keySet()).read(members));
    }
  }

  GatewayConfig build(Place place) {
    if (upstreams.isEmpty()) {
      throw place.error(
          "there is no upstream; name one, such as --upstream http://127.0.0.1:9000, or upstreams:"
              + " { app: http://127.0.0.1:9000 } in a file");
    }
    upstreams.forEach(config::upstream);
    config
        .listen(new Listen(listen.host(), listen.port(), tls))
        .admin(new Listen(admin.host(), admin.port(), adminTls))
        .limits(limits);
    try {
      return config.tokens(new Tokens(adminToken, viewerToken, namedTokens)).build();
    } catch (IllegalArgumentException e) {
      throw place.error(String.valueOf(e.getMessage()));
    }
  }
}
