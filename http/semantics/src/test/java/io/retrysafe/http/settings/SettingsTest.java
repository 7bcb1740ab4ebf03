// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Recovery;
import io.retrysafe.http.HttpPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class SettingsTest {

  private static String camelCase(String name) {
    StringBuilder out = new StringBuilder();
    for (String word : name.split("-", -1)) {
      out.append(out.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return out.toString();
  }

  static Stream<Setting<?>> all() {
    return Settings.all().stream();
  }

  @ParameterizedTest
  @MethodSource("all")
  void everySettingHasASetterOfItsNameAndADefaultAndADoc(Setting<?> setting) {
    List<String> setters =
        Arrays.stream(HttpPolicy.class.getMethods())
            .filter(method -> method.getReturnType() == HttpPolicy.class)
            .map(Method::getName)
            .toList();

    assertThat(setters).contains(camelCase(setting.name()));
    assertThat(setting.doc()).endsWith(".");
    assertThat(setting.type()).isNotBlank();
    assertThat(setting.standardText()).isNotBlank();
    assertThat(Settings.named(setting.name())).isSameAs(setting);
  }

  @Test
  void everySetterIsASetting() {
    List<String> names = Settings.all().stream().map(s -> camelCase(s.name())).toList();

    assertThat(
            Arrays.stream(HttpPolicy.class.getMethods())
                .filter(method -> method.getReturnType() == HttpPolicy.class)
                .map(Method::getName)
                // A file cannot hold a predicate.
                .filter(name -> !List.of("create", "with", "over", "unknownOn").contains(name)))
        .containsExactlyInAnyOrderElementsOf(names);
  }

  static Stream<Arguments> values() {
    return Stream.of(
        Arguments.of("key", "required", KeyRule.required()),
        Arguments.of("key", "none", KeyRule.none()),
        Arguments.of("key-header", "X-Key", "X-Key"),
        Arguments.of("key-format", "ulid", KeyFormat.ulid()),
        Arguments.of("expired-keys", "refuse", ExpiredKeys.REFUSE),
        Arguments.of("anonymous", "shared", Anonymous.SHARED),
        Arguments.of("fingerprint", "json", FingerprintRule.json()),
        Arguments.of("fingerprint", List.of("/a", "/b"), FingerprintRule.pointers("/b", "/a")),
        Arguments.of("fingerprint", "/a, /b", FingerprintRule.pointers("/a", "/b")),
        Arguments.of("lease", "10s", Duration.ofSeconds(10)),
        Arguments.of("lease", "500ms", Duration.ofMillis(500)),
        Arguments.of("retention", "7d", Duration.ofDays(7)),
        Arguments.of("retention", "PT36H", Duration.ofHours(36)),
        Arguments.of("retention", "5m", Duration.ofMinutes(5)),
        Arguments.of("wait", "0", Duration.ZERO),
        Arguments.of("wait", 0, Duration.ZERO),
        Arguments.of("recovery", "rerun", Recovery.rerun()),
        Arguments.of("failures", "success-only", OnFailure.SUCCESS_ONLY),
        Arguments.of("failures", "unknown", OnFailure.UNKNOWN),
        Arguments.of("body-limit", "64KiB", 65536L),
        Arguments.of("body-limit", 10, 10L),
        Arguments.of("answer-limit", "2MB", 2L << 20),
        Arguments.of("in-progress-status", "425", 425),
        Arguments.of("key-reused-status", 400, 400),
        Arguments.of("store-silent", "open", StoreSilent.OPEN),
        Arguments.of("never-stored", List.of("ETag"), List.of("ETag")),
        Arguments.of("waiters", "5", 5));
  }

  @ParameterizedTest
  @MethodSource("values")
  void valuesAreReadAsFilesHoldThem(String name, Object value, Object expected) {
    assertThat((Object) HttpPolicy.create().with(name, value).get(Settings.named(name)))
        .isEqualTo(expected);
  }

  @Test
  void statusesAndNaturalKeysAreReadFromListsAndMaps() {
    HttpPolicy policy =
        HttpPolicy.create()
            .with("refused", List.of(400, "422"))
            .with("unknown", "502, 504")
            .with("key", Map.of("from", List.of("/order/id", "header X-Cart")))
            .with("key-format", Map.of("pattern", "a+"));

    assertThat(policy.get(Settings.REFUSED)).hasToString("[400, 422]");
    assertThat(policy.get(Settings.UNKNOWN)).hasToString("[502, 504]");
    assertThat(policy.get(Settings.KEY)).hasToString("{ from: [/order/id, header X-Cart] }");
    assertThat(policy.get(Settings.KEY_FORMAT).fits("aa")).isTrue();
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of("key", "maybe"),
        Arguments.of("key", Map.of("form", List.of("/a"))),
        Arguments.of("key", Map.of("from", List.of())),
        Arguments.of("key", Map.of("from", List.of("order"))),
        Arguments.of("key-header", "two words"),
        Arguments.of("key-format", Map.of("pattern", "[")),
        Arguments.of("fingerprint", "xml"),
        Arguments.of("fingerprint", List.of()),
        Arguments.of("lease", "soon"),
        Arguments.of("lease", "10"),
        Arguments.of("body-limit", "-1"),
        Arguments.of("body-limit", "3GiB"),
        Arguments.of("answer-limit", "much"),
        Arguments.of("in-progress-status", 500),
        Arguments.of("key-reused-status", "409"),
        Arguments.of("refused", List.of(99)),
        Arguments.of("refused", List.of("all")),
        Arguments.of("failures", "KEEP"),
        Arguments.of("waiters", "many"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void errorsSaySettingValueAndWhatIsAllowed(String name, Object value) {
    assertThatThrownBy(() -> HttpPolicy.create().with(name, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name + " must be " + Settings.named(name).type())
        .hasMessageContaining(value.toString());
  }

  @Test
  void whatTheEngineWouldRefuseIsRefusedHere() {
    assertThatThrownBy(() -> HttpPolicy.create().lease(Duration.ZERO))
        .hasMessage("lease must be positive, was 0s");
  }

  @Test
  void anUnknownNameIsRefusedWithThoseThereAre() {
    assertThatThrownBy(() -> HttpPolicy.create().with("leese", "1s"))
        .hasMessageContaining("\"leese\"")
        .hasMessageContaining("lease, ");
  }

  @Test
  void aRouteTakesWhatItDoesNotSetFromAllRoutes() {
    HttpPolicy all =
        HttpPolicy.create().lease(Duration.ofSeconds(5)).retention(Duration.ofHours(1));
    HttpPolicy route = HttpPolicy.create().lease(Duration.ofSeconds(9)).over(all);

    assertThat(route.get(Settings.LEASE)).isEqualTo(Duration.ofSeconds(9));
    assertThat(route.get(Settings.RETENTION)).isEqualTo(Duration.ofHours(1));
    assertThat(route.get(Settings.WAIT)).isEqualTo(Duration.ZERO);
  }

  @Test
  void whatHoldsForAllRoutesCannotBeSetForOne() {
    assertThatThrownBy(() -> HttpPolicy.create().waiters(1).over(HttpPolicy.create()))
        .hasMessageContaining("waiters holds for all routes");
  }
}
