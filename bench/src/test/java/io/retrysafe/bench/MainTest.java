// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void anUnknownBenchmarkIsAUsageError() {
    assertThat(execute("nope")).isEqualTo(2);
    assertThat(err.toString()).startsWith("there is no benchmark nope");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void virtualThreadsNeedAJvmThatHasThem() {
    assumeThat(Runtime.version().feature()).isLessThan(21);
    assertThat(execute("engine", "--virtual")).isEqualTo(2);
    assertThat(err.toString()).startsWith("virtual threads need Java 21, this is Java 17");
  }

  @Test
  void aRowIsOneJsonObject() {
    Row row =
        new Row(
            "first",
            "run",
            2,
            new Round(1234.56, 800_000, 700_000, 9_000_000, 600_000, 96, 0),
            1000,
            1500,
            Map.of("store", 0.5));
    assertThat(Table.json(row))
        .isEqualTo(
            "{\"case\":\"first/run\",\"callers\":2,\"ops_per_s\":1234.6,\"mean_ms\":0.800000,"
                + "\"p50_ms\":0.700000,\"p99_ms\":9.000000,\"cpu_ms\":0.600000,\"alloc_bytes\":96.0,\"ratio_to_store\":0.5000}");
  }

  @Test
  void allocationsThatCannotBeToldAreLeftOut() {
    Row row = new Row("w", "c", 1, new Round(1, 1, 1, 1, -1, -1, 0), 1, 1, Map.of());
    assertThat(Table.json(row)).doesNotContain("alloc_bytes").doesNotContain("cpu_ms");
    assertThat(Table.text(List.of(row), Unit.MILLISECONDS)).endsWith(" -\n");
  }

  private int execute(String... args) {
    CommandLine commandLine = Main.commandLine();
    return commandLine
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
