// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Recovery;
import io.retrysafe.gateway.Certificate;
import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.ForwardKey;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Mode;
import io.retrysafe.gateway.config.RecoveryLookup;
import io.retrysafe.gateway.config.Tls;
import io.retrysafe.gateway.config.Tokens;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What flags, the environment and files say, and what is said of their mistakes. */
class ConfigSourceTest {
  private static final String UPSTREAM = "upstreams: { app: http://127.0.0.1:9000 }\n";

  private final Path folder;

  ConfigSourceTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("gateway.yaml"), text);
  }

  private GatewayConfig config(String text) throws IOException {
    return ConfigSource.ofFile(file(text)).get();
  }

  private static Object value(HttpPolicy policy, String name) {
    return policy.get(Settings.named(name));
  }

  @Test
  void theShapeOfTheFileIsRead() throws IOException {
    GatewayConfig config =
        config(
            """
            upstreams: { app: "http://127.0.0.1:9000", mail: https://mail.example }
            account: { header: X-Api-Key }
            anonymous: refuse
            lease: 20s
            routes:
              - match: POST /payments
                upstream: app
                key: required
                forward-key: derived
                fingerprint: [ /amount, /currency ]
                retention: 48h
                wait: 2s
                recovery: { lookup: "GET /payments/by-key/{key}", after: 45s }
                failures: success-only
                refused: [400, 422]
                authorize: http://127.0.0.1:9000/may
              - match: POST /mails/{id}
                upstream: mail
                key: { from: [/order/id, header X-Cart] }
                recovery: rerun
            """);
    GatewayRoute payments = config.routes().get(0);
    GatewayRoute mails = config.routes().get(1);

    assertThat(config.upstreams()).containsEntry("mail", URI.create("https://mail.example"));
    assertThat(config.account()).isEqualTo(AccountResolver.header("X-Api-Key"));
    assertThat(value(config.policy(), "anonymous")).isEqualTo(Anonymous.REFUSE);
    assertThat(value(config.policy(), "lease")).isEqualTo(Duration.ofSeconds(20));
    assertThat(payments.match()).isEqualTo("POST /payments");
    assertThat(payments.forwardKey()).isEqualTo(ForwardKey.DERIVED);
    assertThat(payments.lookup())
        .isEqualTo(new RecoveryLookup("/payments/by-key/{key}", Duration.ofSeconds(45)));
    assertThat(payments.authorize()).isEqualTo(URI.create("http://127.0.0.1:9000/may"));
    assertThat(value(payments.policy(), "retention")).isEqualTo(Duration.ofDays(2));
    assertThat(value(payments.policy(), "fingerprint")).hasToString("[/amount, /currency]");
    assertThat(value(payments.policy(), "refused")).hasToString("[400, 422]");
    assertThat(mails.upstream()).isEqualTo("mail");
    assertThat(value(mails.policy(), "key")).hasToString("{ from: [/order/id, header X-Cart] }");
    assertThat(value(mails.policy(), "recovery")).isEqualTo(Recovery.rerun());
  }

  @Test
  void theGatewaysOwnSettingsAreRead() throws Exception {
    Tls files = Certificate.create().tls();
    Files.copy(files.certificate(), folder.resolve("pem"));
    Files.copy(files.key(), folder.resolve("secret"));
    GatewayConfig config =
        config(
            UPSTREAM
                + """
                listen: 127.0.0.1:1
                admin: "[::1]:2"
                store: redis://127.0.0.1:6379
                near: memory:8MB
                admin-token: admin-secret-1234
                viewer-token: viewer-secret-123
                mode: observe
                tls: { certificate: pem, key: secret }
                upstream-roots: pem
                connect-timeout: 1s
                answer-timeout: 2m
                upstream-idle: 3s
                upstream-connections: 4
                head-timeout: 5s
                body-timeout: 6s
                head-size: 8KiB
                connections: 7
                requests: 9
                bodies-memory: 10MiB
                answers-memory: 11MiB
                stop-within: 0s
                store-deadline: 500ms
                log: json
                """);

    assertThat(config.listen().port()).isEqualTo(1);
    assertThat(config.listen().tls())
        .isEqualTo(new Tls(folder.resolve("pem"), folder.resolve("secret")));
    assertThat(config.admin().host()).isEqualTo("::1");
    assertThat(config.store()).isEqualTo("redis://127.0.0.1:6379");
    assertThat(config.near()).isEqualTo("memory:8MB");
    assertThat(config.tokens()).isEqualTo(new Tokens("admin-secret-1234", "viewer-secret-123"));
    assertThat(config.mode()).isEqualTo(Mode.OBSERVE);
    assertThat(config.isJsonLog()).isTrue();
    assertThat(config.upstreamRoots()).isEqualTo(folder.resolve("pem"));
    Limits limits = config.limits();
    assertThat(limits.connectTimeout()).isEqualTo(Duration.ofSeconds(1));
    assertThat(limits.answerTimeout()).isEqualTo(Duration.ofMinutes(2));
    assertThat(limits.upstreamIdle()).isEqualTo(Duration.ofSeconds(3));
    assertThat(limits.upstreamConnections()).isEqualTo(4);
    assertThat(limits.connections()).isEqualTo(7);
    assertThat(limits.requests()).isEqualTo(9);
    assertThat(limits.bodiesMemory()).isEqualTo(10 * 1024 * 1024);
    assertThat(limits.answersMemory()).isEqualTo(11 * 1024 * 1024);
    assertThat(limits.headTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(limits.bodyTimeout()).isEqualTo(Duration.ofSeconds(6));
    assertThat(limits.headSize()).isEqualTo(8192);
    assertThat(limits.stopWithin()).isEqualTo(Duration.ZERO);
    assertThat(limits.storeDeadline()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void flagsComeBeforeTheEnvironmentBeforeTheFileBeforeDefaults() throws IOException {
    Map<String, String> flags = new HashMap<>();
    Map<String, String> environment = new HashMap<>();
    environment.put("RETRYSAFE_CONFIG", file(UPSTREAM + "lease: 10s\nmode: observe\n").toString());
    environment.put("RETRYSAFE_NOT_OURS", "x");
    environment.put("RETRYSAFE_WAIT", "");
    assertThat(lease(flags, environment)).isEqualTo(Duration.ofSeconds(10));
    environment.put("RETRYSAFE_LEASE", "20s");
    assertThat(lease(flags, environment)).isEqualTo(Duration.ofSeconds(20));
    flags.put("lease", "30s");
    assertThat(lease(flags, environment)).isEqualTo(Duration.ofSeconds(30));
    flags.put("mode", "enforce");
    GatewayConfig config = ConfigSource.create(flags, environment).get();
    assertThat(config.mode()).isEqualTo(Mode.ENFORCE);
    assertThat(value(config.policy(), "retention")).isEqualTo(Duration.ofHours(24));
  }

  private static Object lease(Map<String, String> flags, Map<String, String> environment) {
    return value(ConfigSource.create(flags, environment).get().policy(), "lease");
  }

  @Test
  void flagsTakeListsAndMapsAsFilesDo() {
    GatewayConfig config =
        ConfigSource.create(
                Map.of(
                    "upstream", "http://127.0.0.1:9000",
                    "account", "{ header: X-Api-Key }",
                    "key", "{ from: [/order/id] }",
                    "refused", "400, 422"),
                Map.of())
            .get();
    assertThat(config.account()).isEqualTo(AccountResolver.header("X-Api-Key"));
    assertThat(value(config.policy(), "key")).hasToString("{ from: [/order/id] }");
    assertThat(value(config.policy(), "refused")).hasToString("[400, 422]");
  }

  @Test
  void oneUpstreamFromAFlagReplacesTheOneInTheFile() throws IOException {
    String path = file(UPSTREAM).toString();
    Map<String, String> flags = Map.of("config", path, "upstream", "http://127.0.0.1:1");
    assertThat(ConfigSource.create(flags, Map.of()).get().upstreams())
        .containsExactly(Map.entry("app", URI.create("http://127.0.0.1:1")));

    file("upstreams: { a: http://127.0.0.1:1, b: http://127.0.0.1:2 }");
    assertThatThrownBy(() -> ConfigSource.create(flags, Map.of()).get())
        .hasMessage("--upstream: the file names the upstreams [a, b]; change them there");
  }

  @Test
  void everySettingIsAFlag() {
    for (Setting<?> setting : Settings.all()) {
      assertThatThrownBy(
              () -> ConfigSource.create(Map.of(setting.name(), "{ a: b }"), Map.of()).get())
          .as(setting.name())
          .isInstanceOf(ConfigException.class)
          .hasMessageStartingWith("--" + setting.name() + ": " + setting.name() + " must be ");
    }
  }

  @Test
  void whatWasMadeForTheRunStaysUnlessATokenIsGiven() throws IOException {
    Tokens made = new Tokens("made-for-this-run", "seen-for-this-run");
    ConfigSource source = ConfigSource.ofFile(file(UPSTREAM)).tokensOtherwise(made);
    assertThat(source.get().tokens()).isEqualTo(made);
    file(UPSTREAM + "admin-token: from-the-file-123\n");
    assertThat(source.get().tokens())
        .isEqualTo(new Tokens("from-the-file-123", "seen-for-this-run"));
    file(UPSTREAM + "viewer-token: from-the-file-123\n");
    assertThat(source.get().tokens())
        .isEqualTo(new Tokens("made-for-this-run", "from-the-file-123"));
  }

  @Test
  void aViewerIsNoOperator() {
    assertThatThrownBy(
            () ->
                config(
                    UPSTREAM + "admin-token: one-secret-123456\nviewer-token: one-secret-123456\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("viewer-token must differ from admin-token")
        .hasMessageNotContaining("one-secret-123456");
  }

  @Test
  void tokensThatAreMadeCannotBeGuessed() {
    Tokens one = Tokens.random();
    assertThat(Stream.of(one.admin(), one.viewer(), Tokens.random().admin()))
        .doesNotHaveDuplicates()
        .allMatch(token -> token.matches("[0-9a-f]{32}"));
  }

  @Test
  void theSampleIsFine() throws IOException {
    GatewayConfig config = config(ConfigSource.sample());
    assertThat(config.routes()).hasSize(1);
  }

  static Stream<Arguments> mistakes() {
    String rest = "\nupstreams: { app: http://127.0.0.1:9000 }";
    return Stream.of(
        Arguments.of("lease: soon" + rest, 1, 8, "lease must be a duration, was soon: not a"),
        Arguments.of("lease: 0s" + rest, 1, 8, "lease must be positive, was 0s"),
        Arguments.of("retention: 9999999d" + rest, 1, 12, "retention must be at most 3660d"),
        Arguments.of(
            "leese: 30s" + rest,
            1,
            1,
            "there is no \"leese\" in a configuration; did you mean lease?"),
        Arguments.of("forward_key: same" + rest, 1, 1, "there is no \"forward_key\""),
        Arguments.of("zzz: 1" + rest, 1, 1, "there are upstreams, listen, admin, name, store"),
        Arguments.of("upstream: http://127.0.0.1:9000", 1, 1, "did you mean upstreams?"),
        Arguments.of("lease: 1s\nlease: 2s" + rest, 2, 1, "\"lease\" is already set in line 1"),
        Arguments.of("lease:" + rest, 1, 1, "\"lease\" has no value"),
        Arguments.of("mode: watch" + rest, 1, 7, "mode must be enforce | observe, was watch"),
        Arguments.of("account: me" + rest, 1, 10, "account must be authorization | none | "),
        Arguments.of("account: { heder: X }" + rest, 1, 12, "did you mean header?"),
        Arguments.of("account: { basic: password }" + rest, 1, 10, "basic takes user only"),
        Arguments.of("account: { header: two words }" + rest, 1, 10, "not a header name"),
        Arguments.of("account: { jwt: sub }" + rest, 1, 10, "keys is missing here"),
        Arguments.of(
            "account: { jwt: sub, keys: gone, issuer: i, audience: a }" + rest,
            1,
            28,
            "gone cannot be read"),
        Arguments.of("listen: 8080" + rest, 1, 9, "an address is HOST:PORT"),
        Arguments.of("listen: 127.0.0.1:70000" + rest, 1, 9, "a port is 0 to 65535, was 70000"),
        Arguments.of(
            "listen: 0.0.0.0:8080" + rest, 1, 9, "anonymous must be set to refuse or shared"),
        Arguments.of(
            "store: postgres://db/pay" + rest,
            1,
            8,
            "store must be URL: no store is known for postgres:"),
        Arguments.of("near: memory" + rest, 1, 7, "near must be URL: "),
        Arguments.of(
            "head-size: 3MiB" + rest, 1, 12, "head-size must be a size up to 1MiB, was 3MiB"),
        Arguments.of("upstream-connections: many" + rest, 1, 23, "must be a number, was many"),
        Arguments.of("connect-timeout: 0s" + rest, 1, 18, "connect-timeout must be positive"),
        Arguments.of("tls: { certificate: pem }" + rest, 1, 21, "pem cannot be read"),
        Arguments.of(
            "tls: { certificate: gateway.yaml, key: gateway.yaml }" + rest,
            1,
            6,
            "are not a certificate and its private key in PEM"),
        Arguments.of("upstream-roots: gateway.yaml" + rest, 1, 17, "has no certificates in PEM"),
        Arguments.of("lease: &a 1s" + rest, 1, 8, "anchors and aliases"),
        Arguments.of("lease: *a" + rest, 1, 8, "anchors and aliases"),
        Arguments.of("lease: !a 1s" + rest, 1, 8, "tags (!) are not used here"),
        Arguments.of("lease: [" + rest, 2, 42, "not YAML: "),
        Arguments.of("? [a]\n: b", 1, 3, "nested too deeply"),
        Arguments.of("- a", 1, 1, "a configuration is a map of settings"),
        Arguments.of(
            "lease: 1s" + rest + "\n---\nlease: 1s", 4, 1, "there may be one document only"),
        Arguments.of(
            "upstreams: { app: ftp://x }", 1, 19, "the upstream app must be http:// or https://"),
        Arguments.of("upstreams: { app: http://x/path }", 1, 19, "was http://x/path"),
        Arguments.of("upstreams: {}", 1, 12, "there is none"),
        Arguments.of("routes: POST /a" + rest, 1, 9, "each route begins with a hyphen"),
        Arguments.of("routes: [ a ]" + rest, 1, 11, "a route is a map"),
        Arguments.of("routes: [ { key: none } ]" + rest, 1, 11, "match is missing here"),
        Arguments.of(
            "routes: [ { match: payments } ]" + rest, 1, 20, "a route is a method and a path"),
        Arguments.of(
            "routes: [ { match: /a, lease: x } ]" + rest, 1, 31, "lease must be a duration, was x"),
        Arguments.of(
            "routes: [ { match: /a, waiters: 1 } ]" + rest,
            1,
            24,
            "there is no \"waiters\" in a route"),
        Arguments.of(
            "routes: [ { match: /a, upstream: b } ]" + rest, 1, 34, "was b: there are [app]"),
        Arguments.of(
            "routes: [ { match: /a, forward-key: b } ]" + rest,
            1,
            37,
            "must be same | derived | none, was b"),
        Arguments.of(
            "routes: [ { match: /a, recovery: b } ]" + rest,
            1,
            34,
            "recovery must be park | rerun, was b"),
        Arguments.of(
            "routes: [ { match: /a, recovery: { lookup: /x } } ]" + rest,
            1,
            34,
            "a lookup is GET and a path"),
        Arguments.of(
            "routes: [ { match: /a, authorize: x } ]" + rest, 1, 35, "authorize must be http://"),
        Arguments.of(
            "routes: [ { match: 'POST /a/{b}' }, { match: 'POST /a/{c}' } ]" + rest,
            1,
            46,
            "is already set in line 1"),
        Arguments.of(
            "routes: [ { match: /a } ]\nupstreams: { a: http://a, b: http://b }",
            1,
            11,
            "must name its upstream, one of [a, b]"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeIsToldWithFileLineColumnValueAndWhatIsAllowed(
      String text, int line, int column, String message) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> ConfigSource.ofFile(file).get())
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(file + ", line " + line + ", column " + column + ": ")
        .hasMessageContaining(message);
  }

  @Test
  void mistakesWithoutAPlaceNameTheFileOrTheFlag() throws IOException {
    Path file = file("lease: 1s");
    assertThatThrownBy(() -> ConfigSource.ofFile(file).get())
        .hasMessageStartingWith(file + ": there is no upstream; name one");
    assertThatThrownBy(() -> ConfigSource.ofFile(folder.resolve("gone")).get())
        .hasMessage(folder.resolve("gone") + ": the file cannot be read");
    Map<String, String> flags = Map.of("config", folder.resolve("gone").toString());
    assertThatThrownBy(() -> ConfigSource.create(flags, Map.of()).get())
        .hasMessage("--config: the file " + folder.resolve("gone") + " cannot be read");
    Files.write(file, new byte[] {'a', (byte) 0xff});
    assertThatThrownBy(() -> ConfigSource.ofFile(file).get()).hasMessageContaining("not UTF-8");
    Files.write(file, new byte[(1 << 20) + 1]);
    assertThatThrownBy(() -> ConfigSource.ofFile(file).get()).hasMessageContaining("1 MiB");
    Map<String, String> environment = Map.of("RETRYSAFE_LEASE", "soon");
    assertThatThrownBy(() -> ConfigSource.create(Map.of(), environment).get())
        .hasMessageStartingWith("RETRYSAFE_LEASE: lease must be a duration, was soon");
    assertThatThrownBy(() -> ConfigSource.create(Map.of("leese", "1s"), Map.of()).get())
        .hasMessage("--leese: there is no \"leese\" in the flags; did you mean lease?");
    assertThatThrownBy(() -> ConfigSource.create(Map.of("lease", " "), Map.of()).get())
        .hasMessage("--lease: a value is missing");
  }

  @Test
  void anAddressThatOthersReachNeedsAWordAboutAnonymousCallers() {
    Map<String, String> flags = new HashMap<>(Map.of("upstream", "http://x", "listen", ":8080"));
    assertThatThrownBy(() -> ConfigSource.create(flags, Map.of()).get())
        .hasMessageStartingWith("--listen: anonymous must be set");
    flags.put("anonymous", "refuse");
    assertThat(value(ConfigSource.create(flags, Map.of()).get().policy(), "anonymous"))
        .isEqualTo(Anonymous.REFUSE);
  }

  static Stream<String> secrets() {
    return Stream.of(
        "admin-token: [ s3cret ]",
        "admin-token: s3cret",
        "viewer-token: { s3cret: s3cret }",
        "admin-token: *s3cret",
        "admin-token: !s3cret!x y",
        "admin-token: 's3cret",
        "store: postgres://s3cret:s3cret@db/pay",
        "store: [ s3cret ]",
        "near: redis:s3cret",
        "upstreams: { app: 'http://me:s3cret@host/' }",
        "upstreams: { app: 'http://me:s3cret @host' }",
        "upstreams: { app: http://a }\nroutes: [ { match: /a, authorize: 'http://a:s3cret@b' } ]");
  }

  @ParameterizedTest
  @MethodSource("secrets")
  void noMessageShowsASecret(String text) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> ConfigSource.ofFile(file).get())
        .isInstanceOf(ConfigException.class)
        .message()
        .doesNotContain("s3cret");
  }
}
