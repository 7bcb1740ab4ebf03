// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.spring.internal.engine.RetrysafeAutoConfiguration;
import io.retrysafe.spring.internal.properties.PolicyProperties;
import io.retrysafe.spring.internal.properties.RetrysafeProperties;
import io.retrysafe.spring.internal.store.StoreAutoConfiguration;
import io.retrysafe.spring.internal.web.HttpGuardAutoConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.env.MockEnvironment;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Every setting is a property, and every property is described. */
final class PropertiesTest {
  private static final Path METADATA =
      Path.of(
          System.getProperty("retrysafe.root", "../.."),
          "spring/boot/src/main/resources/META-INF/spring-configuration-metadata.json");

  /** A value for every setting, other than its default. */
  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("key", "optional"),
          Map.entry("key-header", "X-Key"),
          Map.entry("key-format", "uuid"),
          Map.entry("expired-keys", "refuse"),
          Map.entry("anonymous", "shared"),
          Map.entry("fingerprint", "json"),
          Map.entry("fingerprint-headers", "X-Tenant, X-Shop"),
          Map.entry("lease", "45s"),
          Map.entry("max-running", "2h"),
          Map.entry("retention", "7d"),
          Map.entry("wait", "3s"),
          Map.entry("recovery", "rerun"),
          Map.entry("failures", "success-only"),
          Map.entry("refused", "404, 409"),
          Map.entry("unknown", "502"),
          Map.entry("body-limit", "2MiB"),
          Map.entry("body-memory", "64KiB"),
          Map.entry("answer-limit", "4096"),
          Map.entry("never-stored", "X-Secret"),
          Map.entry("in-progress-status", "425"),
          Map.entry("key-reused-status", "400"),
          Map.entry("store-silent", "open"),
          Map.entry("unmatched", "guard"),
          Map.entry("problem-base", "https://example.org/problems/"),
          Map.entry("running-per-account", "7"),
          Map.entry("waiters", "9"),
          Map.entry("entries-per-account", "5000"),
          Map.entry("bytes-per-account", "3MiB"),
          Map.entry("store-limit", "8GiB"));

  private static HttpPolicy policy(Map<String, String> properties) {
    MockEnvironment environment = new MockEnvironment();
    properties.forEach(environment::setProperty);
    return new PolicyProperties(environment).policy();
  }

  @TestFactory
  Stream<DynamicTest> everySettingIsAProperty() {
    return Settings.all().stream()
        .map(
            setting ->
                DynamicTest.dynamicTest(
                    "retrysafe." + setting.name(), () -> assertIsProperty(setting)));
  }

  private static <T> void assertIsProperty(Setting<T> setting) {
    String value = VALUES.get(setting.name());
    assertThat(value).as("a value for the test").isNotNull();
    T read = policy(Map.of("retrysafe." + setting.name(), String.valueOf(value))).get(setting);
    T expected = HttpPolicy.create().with(setting.name(), String.valueOf(value)).get(setting);

    assertThat(read).hasToString(expected.toString());
    assertThat(read.toString()).isNotEqualTo(setting.standard().toString());
  }

  @Test
  void listsAndMembersAreReadToo() {
    HttpPolicy policy =
        policy(
            Map.of(
                "retrysafe.key.from[0]", "/order/id",
                "retrysafe.key.from[1]", "header X-Cart",
                "retrysafe.key-format.pattern", "[a-z]{3,9}",
                "retrysafe.fingerprint[0]", "/amount",
                "retrysafe.refused[0]", "404"));
    HttpPolicy expected =
        HttpPolicy.create()
            .with("key", Map.of("from", List.of("/order/id", "header X-Cart")))
            .with("key-format", Map.of("pattern", "[a-z]{3,9}"))
            .with("fingerprint", List.of("/amount"))
            .with("refused", List.of("404"));

    for (String name : List.of("key", "key-format", "fingerprint", "refused")) {
      assertThat(policy.get(Settings.named(name)))
          .hasToString(expected.get(Settings.named(name)).toString());
    }
  }

  @Test
  void routesHaveTheSameSettings() {
    new ApplicationContextRunner()
        .withUserConfiguration(
            StoreAutoConfiguration.class,
            RetrysafeAutoConfiguration.class,
            HttpGuardAutoConfiguration.class)
        .withPropertyValues(
            "retrysafe.store=memory",
            "retrysafe.retention=2d",
            "retrysafe.routes[0].match=POST /payments",
            "retrysafe.routes[0].wait=1s",
            "retrysafe.routes[1].match=/orders/**",
            "retrysafe.routes[1].retention=3d")
        .run(
            context -> {
              HttpGuard guard = context.getBean(HttpGuard.class);
              assertThat(guard.routes()).hasSize(2);
              assertThat(guard.routes().get(0).policy().toEngine().retention()).hasDays(2);
              assertThat(guard.routes().get(0).policy().toEngine().waitUpTo()).hasSeconds(1);
              assertThat(guard.routes().get(1).policy().toEngine().retention()).hasDays(3);
            });
  }

  @Test
  void theMetadataDescribesAllProperties() throws IOException {
    JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    List<Map<String, Object>> properties = new ArrayList<>();
    for (Setting<?> setting : Settings.all()) {
      properties.add(
          property(
              setting.name(),
              "java.lang.String",
              setting.doc() + " " + setting.type() + ".",
              setting.standardText()));
    }
    ComponentDocs.ALL.forEach(
        doc -> properties.add(property(doc.name(), doc.type(), doc.text(), doc.standard())));
    String expected = mapper.writeValueAsString(Map.of("properties", properties)) + "\n";

    if ("write".equals(System.getProperty("retrysafe.docs"))) {
      Files.writeString(METADATA, expected);
    }
    try (InputStream found =
        PropertiesTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      String text = found == null ? "" : new String(found.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(Files.readString(METADATA))
          .as("run again with -Dretrysafe.docs=write")
          .isEqualTo(expected);
      assertThat(text).contains("retrysafe.answer-limit");
    }
  }

  @Test
  void theDescriptionsAreThoseOfTheRecords() {
    assertThat(ComponentDocs.ALL.stream().map(ComponentDocs.Doc::name))
        .containsExactlyInAnyOrderElementsOf(ComponentDocs.names(RetrysafeProperties.class, ""));
  }

  private static Map<String, Object> property(
      String name, String type, String description, String standard) {
    Map<String, Object> property = new LinkedHashMap<>();
    property.put("name", "retrysafe." + name);
    property.put("type", type);
    property.put("description", description);
    if (!standard.isEmpty()) {
      property.put("defaultValue", standard);
    }
    return property;
  }
}
