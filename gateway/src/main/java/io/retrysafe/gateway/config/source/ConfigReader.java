// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.gateway.account.ServerSecret;
import io.retrysafe.gateway.config.AdminToken;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Pem;
import io.retrysafe.gateway.config.Tls;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.gateway.config.TrustedProxies;
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

/** Reads settings into a configuration builder, one after the other. */
final class ConfigReader {
  private static final long LARGEST_SECRET = 64 * 1024;

  final GatewayConfig.Builder config = GatewayConfig.builder();
  final ConfigDirectory directory;
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
  private final UniqueMatches matches = new UniqueMatches();

  ConfigReader(ConfigDirectory directory) {
    this.directory = directory;
  }

  void upstreams(ConfigValue value) {
    ConfigValue.Members members = value.members();
    members.values().forEach((name, url) -> upstreams.put(name, UrlReader.upstream(name, url)));
    if (upstreams.isEmpty()) {
      throw new IllegalArgumentException("there is none");
    }
  }

  /**
   * Replaces the only upstream of the file. With several upstreams it would be ambiguous, and is
   * rejected.
   */
  void upstream(ConfigValue value) {
    if (upstreams.size() > 1) {
      throw value
          .location()
          .error("the file names the upstreams " + upstreams.keySet() + "; change them there");
    }
    String name = upstreams.isEmpty() ? "default" : upstreams.keySet().iterator().next();
    upstreams.put(name, UrlReader.upstream(name, value));
  }

  Tls tls(ConfigValue value) {
    ConfigValue.Members members = value.members();
    members.only("a certificate", List.of("certificate", "key"));
    Tls tls = new Tls(directory.file(members, "certificate"), directory.file(members, "key"));
    PemKeyCertOptions unused = Pem.pair(tls.certificate(), tls.key());
    return tls;
  }

  void secretFile(ConfigValue value) {
    Path file = directory.file(value);
    try {
      if (Files.size(file) > LARGEST_SECRET) {
        throw value.location().error("the file " + file + " is larger than a secret");
      }
      secret(ServerSecret.of(Files.readAllBytes(file)));
      SecretFiles.warning(file, "secret-file").ifPresent(config::warning);
    } catch (IOException e) {
      throw value.location().error("the file " + file + " cannot be read");
    }
  }

  void secret(ConfigValue value) {
    secret(ServerSecret.of(value.text().getBytes(StandardCharsets.UTF_8)));
  }

  private void secret(ServerSecret secret) {
    if (hasSecret) {
      throw new IllegalArgumentException("there is RETRYSAFE_SECRET too: keep one of them");
    }
    hasSecret = true;
    config.secret(secret);
  }

  static TrustedProxies proxies(ConfigValue value) {
    return TrustedProxies.of(texts(value));
  }

  /** Returns the texts of a list, or one text. */
  static List<String> texts(ConfigValue value) {
    List<ConfigValue> items =
        value instanceof ConfigValue.Items list ? list.items() : List.of(value);
    return items.stream().map(ConfigValue::text).toList();
  }

  void tokens(ConfigValue value) {
    if (!(value instanceof ConfigValue.Items items)) {
      throw new IllegalArgumentException("a list was expected");
    }
    for (ConfigValue each : items.items()) {
      ConfigValue.Members members = each.members();
      members.only("a token", List.of("name", "role", "sha256", "expires"));
      try {
        ConfigValue role = members.values().get("role");
        namedTokens.add(
            new AdminToken(
                members.required("name"),
                ValueParser.of(AdminToken.Role.class, role == null ? members : role),
                members.required("sha256"),
                expires(members)));
      } catch (ConfigException e) {
        throw e;
      } catch (IllegalArgumentException e) {
        throw each.location().error("a token cannot be used: " + e.getMessage());
      }
    }
  }

  private static @Nullable Instant expires(ConfigValue.Members members) {
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

  void tokenFile(ConfigValue value) {
    config.tokenFile(directory.path(value));
  }

  void upstreamRoots(ConfigValue value) {
    Path file = directory.file(value);
    PemTrustOptions unused = Pem.roots(file);
    config.upstreamRoots(file);
  }

  /** Sets a setting of the HTTP policy. */
  void setting(String name, ConfigValue value) {
    HttpPolicy policy = PolicyReader.with(config.policy(), name, value);
    config.policy(policy);
    if (name.equals("anonymous")) {
      config.anonymous((Anonymous) policy.get(Settings.named(name)));
    }
  }

  void routes(ConfigValue value) {
    if (!(value instanceof ConfigValue.Items items)) {
      throw new IllegalArgumentException("each route begins with a hyphen: - match: POST /path");
    }
    for (ConfigValue each : items.items()) {
      if (!(each instanceof ConfigValue.Members members)) {
        throw each.location().error("a route is a map, such as match: POST /payments, was " + each);
      }
      config.route(new RouteReader(matches, upstreams.keySet()).read(members));
    }
  }

  GatewayConfig build(SourceLocation location) {
    if (upstreams.isEmpty()) {
      throw location.error(
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
      throw location.error(String.valueOf(e.getMessage()));
    }
  }
}
