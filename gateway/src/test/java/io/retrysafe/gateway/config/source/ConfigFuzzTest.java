// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.http.settings.Settings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever a file says gives a configuration or a clear error, and soon. */
class ConfigFuzzTest {
  private static final int RUNS = 4000;
  private static final Duration SOON = Duration.ofSeconds(20);

  private final long seed = Long.getLong("retrysafe.seed", new Random().nextLong());
  private final Random random = new Random(seed);
  private final ConfigSource source = ConfigSource.create(Map.of(), Map.of());
  private int accepted;

  @Test
  void anyInputGivesAConfigurationOrAClearError() {
    for (int i = 0; i < RUNS; i++) {
      String text = i % 3 == 0 ? mutated() : i % 3 == 1 ? made() : noise();
      Instant end = Instant.now().plus(SOON);
      try {
        GatewayConfig config = source.ofText("fuzzed.yaml", text);
        assertThat(config.upstreams()).isNotEmpty();
        accepted++;
      } catch (ConfigException e) {
        assertThat(e.getMessage())
            .as("seed %d, run %d", seed, i)
            .contains("fuzzed.yaml")
            .hasSizeLessThan(1000)
            .doesNotContainPattern("\\p{Cntrl}");
      } catch (RuntimeException | StackOverflowError e) {
        fail("seed %d, run %d, on:%n%s", seed, i, text, e);
      }
      assertThat(Instant.now()).as("seed %d, run %d", seed, i).isBefore(end);
    }
    assertThat(accepted).as("accepted, seed %d", seed).isPositive();
  }

  @Test
  void depthAndAliasesCostNothing() {
    for (String text :
        List.of(
            "[".repeat(200_000),
            "{a: ".repeat(100_000),
            "- ".repeat(100_000),
            "a: &a [*a, *a]",
            "upstreams: { a: '" + "x".repeat(900_000) + "' }",
            "? ".repeat(50_000))) {
      assertThatThrownBy(() -> source.ofText("deep.yaml", text))
          .isInstanceOf(ConfigException.class)
          .message()
          .hasSizeLessThan(1000);
    }
  }

  /** The sample with some characters changed. */
  private String mutated() {
    StringBuilder text = new StringBuilder(ConfigSource.sample());
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.deleteCharAt(at);
        case 1 -> text.insert(at, noise());
        case 2 -> text.setCharAt(at, (char) random.nextInt(128));
        default -> text.delete(at, Math.min(text.length(), at + random.nextInt(40)));
      }
    }
    return text.toString();
  }

  /** Real names with values that mostly do not fit. */
  private String made() {
    List<String> names = new ArrayList<>();
    GatewaySettings.all().forEach(setting -> names.add(setting.name()));
    GatewaySettings.ofRoutes().forEach(setting -> names.add(setting.name()));
    Settings.all().forEach(setting -> names.add(setting.name()));
    StringBuilder text = new StringBuilder("upstreams: { app: http://127.0.0.1:9000 }\n");
    for (int i = random.nextInt(3); i >= 0; i--) {
      text.append(pick(names)).append(": ").append(value(0)).append('\n');
    }
    if (random.nextBoolean()) {
      text.append("routes:\n  - match: POST /a\n    ");
      text.append(pick(names)).append(": ").append(value(0)).append('\n');
    }
    return text.toString();
  }

  private String value(int depth) {
    return switch (random.nextInt(depth > 2 ? 2 : 4)) {
      case 0, 1 ->
          pick(
              List.of(
                  "0s",
                  "30s",
                  "PT9223372036854775807S",
                  "-PT1S",
                  "999999999d",
                  "1MiB",
                  "9999999999GiB",
                  "none",
                  "required",
                  "{}",
                  "[]",
                  "''",
                  "~",
                  "POST /a",
                  "GET /a/{key}",
                  "/a/**",
                  "http://a",
                  "http://[::1",
                  "127.0.0.1:0",
                  ":1",
                  "[::1]:1",
                  "memory:",
                  "sqlite:x.db",
                  "redis://:p@h",
                  "jdbc:postgresql://h/d",
                  "400",
                  "true",
                  "\"\\u0000\"",
                  "é",
                  "*"));
      case 2 -> "[" + value(depth + 1) + ", " + value(depth + 1) + "]";
      default ->
          "{ "
              + pick(List.of("from", "lookup", "after", "header", "basic", "jwt", "pattern", "x"))
              + ": "
              + value(depth + 1)
              + " }";
    };
  }

  private String noise() {
    String letters = "abc:-[]{}#&*!|>'\"%@`,? \n\t\\\u0000\u2028é0";
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(30); i >= 0; i--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }

  private String pick(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
