// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Listen;
import io.retrysafe.gateway.config.Mode;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.store.url.OpenStore;
import io.retrysafe.store.url.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/**
 * The settings of a gateway that are not about HTTP rules, as data: the readers of files, flags and
 * the environment and the documentation use this list. The HTTP settings are in {@link
 * io.retrysafe.http.settings.Settings}.
 */
public final class GatewaySettings {
  private static final String DURATION = "a duration";

  private static final List<GatewaySetting<ConfigReader>> ALL =
      List.of(
          setting(
                  "config",
                  "FILE",
                  "none",
                  "A file with all of this, in YAML.",
                  (reader, value) -> {})
              .notInFiles(),
          setting(
                  "upstreams",
                  "{ name: URL, ... }",
                  "none",
                  "The services behind the gateway, by name. Requests that no route matches go to the first.",
                  ConfigReader::upstreams)
              .onlyInFiles(),
          setting(
                  "upstream",
                  "URL",
                  "none",
                  "The service behind the gateway where there is one; replaces the one in the file.",
                  ConfigReader::upstream)
              .notInFiles(),
          setting(
              "listen",
              "HOST:PORT",
              "127.0.0.1:8080",
              "Where requests come in; :PORT for every address of the machine.",
              (reader, value) -> reader.listen = Listen.parse(value.text())),
          setting(
              "admin",
              "HOST:PORT",
              "127.0.0.1:8081",
              "Where health, metrics and the admin API are.",
              (reader, value) -> reader.admin = Listen.parse(value.text())),
          setting(
              "name",
              "NAME",
              "the host's name and the process id",
              "What histories and explanations call this gateway, such as gw-1.",
              (reader, value) -> reader.config.name(value.text())),
          setting(
                  "store",
                  "URL",
                  "sqlite:retrysafe.db",
                  "Where operations are recorded.",
                  (reader, value) -> {
                    StoreUrl unused = StoreUrl.of(value.text());
                    reader.config.store(value.text());
                  })
              .secret(),
          setting(
                  "near",
                  "URL",
                  "none",
                  "Where near copies of answers are kept: memory:64MB, or an address of Redis.",
                  (reader, value) -> {
                    OpenStore.Builder unused = OpenStore.builder("memory:").near(value.text());
                    reader.config.near(value.text());
                  })
              .secret(),
          setting(
              "account",
              "authorization | none | { header: NAME } | { basic: user }"
                  + " | { jwt: CLAIM, keys: FILE, issuer: TEXT, audience: TEXT }",
              "authorization",
              "Who calls. It should name the caller and not the credential, which changes.",
              (reader, value) ->
                  reader.config.account(AccountReader.read(reader.directory, value))),
          setting(
              "secret-file",
              "FILE",
              "a secret that the store keeps",
              "The secret that makes accounts of credentials, at least 32 bytes; the same for all"
                  + " gateways on a store.",
              ConfigReader::secretFile),
          setting(
                  "secret",
                  "at least 32 bytes",
                  "none",
                  "The same secret, in the environment only: RETRYSAFE_SECRET.",
                  ConfigReader::secret)
              .secret()
              .onlyInEnvironment(),
          setting(
              "trusted-proxies",
              "a list of addresses and networks such as 10.0.0.0/8",
              "[]",
              "The proxies before the gateway: their X-Forwarded-* headers are kept, and only they"
                  + " may send the header of account: { header: NAME }.",
              (reader, value) -> reader.config.trustedProxies(ConfigReader.proxies(value))),
          setting(
              "account-header-trusted",
              "true | false",
              "false",
              "Whether every peer may send the header of account: { header: NAME }.",
              (reader, value) -> reader.config.accountHeaderTrusted(ValueParser.isTrue(value))),
          setting(
                  "admin-token",
                  "a text of at least 16 characters",
                  "made at the start",
                  "The bearer token of operators, who may do everything in the admin API.",
                  (reader, value) -> reader.adminToken = new Tokens(value.text(), null).admin())
              .secret(),
          setting(
                  "viewer-token",
                  "a text of at least 16 characters",
                  "made at the start",
                  "The bearer token of viewers, who may look and not change.",
                  (reader, value) -> reader.viewerToken = new Tokens(null, value.text()).viewer())
              .secret(),
          setting(
              "tokens",
              "a list of { name: TEXT, role: viewer | operator, sha256: HEX, expires: TIME }",
              "[]",
              "Further tokens of the admin API, each with the name that the audit shows.",
              ConfigReader::tokens),
          setting(
              "token-file",
              "FILE",
              "none",
              "Where tokens are written that are made at the start; else only a terminal shows them.",
              ConfigReader::tokenFile),
          setting(
              "admin-hosts",
              "a list of host names",
              "[]",
              "Further names under which the admin port may be asked.",
              (reader, value) -> reader.config.adminHosts(ConfigReader.texts(value))),
          setting(
              "mode",
              "enforce | observe",
              "enforce",
              "Whether duplicates are stopped, or only counted and logged.",
              (reader, value) -> reader.config.mode(ValueParser.of(Mode.class, value))),
          setting(
              "tls",
              "{ certificate: FILE, key: FILE }",
              "none",
              "The certificate where requests come in, PEM; with it HTTP/2 is spoken too.",
              (reader, value) -> reader.tls = reader.tls(value)),
          setting(
              "admin-tls",
              "{ certificate: FILE, key: FILE }",
              "none",
              "The certificate of the admin port, PEM.",
              (reader, value) -> reader.adminTls = reader.tls(value)),
          setting(
              "h2c",
              "true | false",
              "false",
              "Whether clients may speak HTTP/2 without TLS, from the first byte on.",
              (reader, value) -> reader.config.h2c(ValueParser.isTrue(value))),
          setting(
              "upstream-roots",
              "FILE",
              "those of Java",
              "The roots that certificates of upstreams are trusted by, PEM.",
              ConfigReader::upstreamRoots),
          duration(
              "connect-timeout",
              "5s",
              "How long a connection to an upstream may take.",
              Limits::connectTimeout),
          duration(
              "answer-timeout",
              "60s",
              "How long an upstream may be silent before the outcome is unknown.",
              Limits::answerTimeout),
          duration(
              "upstream-idle",
              "4s",
              "How long an unused connection to an upstream is kept.",
              Limits::upstreamIdle),
          number(
              "upstream-connections",
              "512",
              "How many connections there may be to an upstream.",
              Limits::upstreamConnections),
          duration(
              "head-timeout",
              "60s",
              "How long the head of a request may take, and a connection be unused.",
              Limits::headTimeout),
          duration(
              "body-timeout",
              "60s",
              "How long the body of a guarded request may take.",
              Limits::bodyTimeout),
          setting(
              "body-rate",
              "a size up to 1MiB",
              "500",
              "How many bytes per second a body must bring at least, measured over thirds of"
                  + " body-timeout; 0 for any.",
              (reader, value) ->
                  reader.limits = reader.limits.bodyRate(ValueParser.size(value, 1 << 20))),
          duration(
              "pass-timeout",
              "15m",
              "How long the body of a request that passes may take.",
              Limits::passTimeout),
          setting(
              "head-size",
              "a size up to 1MiB",
              "32KiB",
              "How large the head of a request may be.",
              (reader, value) ->
                  reader.limits = reader.limits.headSize(ValueParser.size(value, 1 << 20))),
          number(
              "connections",
              "10000",
              "How many connections a port takes; more get 503 and are closed.",
              Limits::connections),
          number(
              "connections-per-client",
              "0",
              "How many connections a port takes from one address; 0 for any number.",
              Limits::connectionsPerClient),
          number(
              "requests-per-client",
              "0",
              "How many requests of one address may be under way at once; 0 for any number.",
              Limits::requestsPerClient),
          number(
              "requests",
              "5000",
              "How many requests may be under way at once; more get too-many-operations.",
              Limits::requests),
          setting(
              "bodies-memory",
              "a size",
              "an eighth of the heap",
              "How much bodies of guarded requests hold in memory, all together; more goes to disk.",
              (reader, value) ->
                  reader.limits = reader.limits.bodiesMemory(Settings.size(value.text()))),
          setting(
              "answers-memory",
              "a size",
              "an eighth of the heap",
              "How much answers to guarded requests hold in memory until they are recorded, all"
                  + " together; one that finds no room is not kept.",
              (reader, value) ->
                  reader.limits = reader.limits.answersMemory(Settings.size(value.text()))),
          duration(
              "stop-within",
              "30s",
              "How long a stop waits for running operations, also for those whose clients have left.",
              Limits::stopWithin),
          duration(
              "store-deadline",
              "2s",
              "How long a request waits for the store.",
              Limits::storeDeadline),
          setting(
              "pending-memory",
              "a size",
              "64MiB, at most an eighth of the heap",
              "How much outcomes hold in memory that a silent store has not recorded yet.",
              (reader, value) ->
                  reader.limits = reader.limits.pendingMemory(Settings.size(value.text()))),
          setting(
              "log",
              "text | json",
              "text",
              "How log lines are written.",
              (reader, value) ->
                  reader.config.jsonLog(ValueParser.of(Log.class, value) == Log.JSON)),
          setting(
                  "routes",
                  "a list",
                  "none",
                  "What holds for some requests; the first that matches counts.",
                  ConfigReader::routes)
              .onlyInFiles());

  private enum Log {
    TEXT,
    JSON
  }

  private GatewaySettings() {}

  /** Returns all settings of a gateway, in reading order. */
  public static List<GatewaySetting<?>> all() {
    return List.copyOf(ALL);
  }

  /** Returns the settings of a route, without the HTTP settings. */
  public static List<GatewaySetting<?>> ofRoutes() {
    return List.copyOf(RouteReader.SETTINGS);
  }

  /** Returns the default of an HTTP setting in a gateway, as text. */
  public static String standard(Setting<?> setting) {
    if (setting.name().equals("anonymous")) {
      return "shared where listen is on loopback, else it must be set";
    }
    Object here = GatewayConfig.builder().policy().get(setting);
    return here.equals(setting.standard())
        ? setting.standardText()
        : here.toString().toLowerCase(Locale.ROOT);
  }

  static List<GatewaySetting<ConfigReader>> own() {
    return ALL;
  }

  private static GatewaySetting<ConfigReader> setting(
      String name,
      String type,
      String standard,
      String doc,
      BiConsumer<ConfigReader, ConfigValue> reader) {
    return new GatewaySetting<>(name, type, standard, doc, reader);
  }

  private static GatewaySetting<ConfigReader> duration(
      String name, String standard, String doc, BiFunction<Limits, Duration, Limits> setter) {
    return setting(
        name,
        DURATION,
        standard,
        doc,
        (reader, value) ->
            reader.limits = setter.apply(reader.limits, ValueParser.duration(value)));
  }

  private static GatewaySetting<ConfigReader> number(
      String name, String standard, String doc, BiFunction<Limits, Integer, Limits> setter) {
    return setting(
        name,
        "a number",
        standard,
        doc,
        (reader, value) -> reader.limits = setter.apply(reader.limits, ValueParser.number(value)));
  }
}
