// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The manual's tables are those of the code. */
class ConfigurationManualTest {
  private static final Path MANUAL =
      Path.of(System.getProperty("retrysafe.root", "..")).resolve("docs/configuration.md");

  @Test
  void theSampleIsTheOneThatIsPrinted() throws IOException {
    shows("sample", "```yaml\n" + ConfigSource.sample() + "```\n");
  }

  @Test
  void theGatewaysSettingsAreShown() throws IOException {
    StringBuilder table = new StringBuilder();
    table.append("| setting | value | default | file | flag | |\n|---|---|---|---|---|---|\n");
    for (GatewaySetting<?> setting : GatewaySettings.all()) {
      row(
          table,
          setting.name(),
          setting.type(),
          setting.standard(),
          mark(setting.isInFiles()),
          mark(setting.isFlag()),
          setting.doc());
    }
    shows("gateway", table.toString());
  }

  @Test
  void theSettingsOfRoutesAreShown() throws IOException {
    StringBuilder table = new StringBuilder();
    table.append("| setting | value | default | |\n|---|---|---|---|\n");
    for (GatewaySetting<?> setting : GatewaySettings.ofRoutes()) {
      row(table, setting.name(), setting.type(), setting.standard(), setting.doc());
    }
    shows("routes", table.toString());
  }

  @Test
  void theSettingsOfTheHttpRulesAreShown() throws IOException {
    StringBuilder table = new StringBuilder();
    table.append("| setting | value | default | in routes | |\n|---|---|---|---|---|\n");
    for (Setting<?> setting : Settings.all()) {
      row(
          table,
          setting.name(),
          setting.type(),
          GatewaySettings.standard(setting),
          mark(!setting.isShared()),
          setting.doc());
    }
    shows("http", table.toString());
  }

  private static String mark(boolean holds) {
    return holds ? "yes" : "";
  }

  private static void row(StringBuilder table, String name, String... cells) {
    table.append("| `").append(name).append("` |");
    for (String cell : List.of(cells)) {
      table.append(' ').append(cell.replace("|", "\\|")).append(cell.isEmpty() ? "|" : " |");
    }
    table.append('\n');
  }

  /** With the system property retrysafe.docs=write the part is written instead. */
  private static void shows(String name, String part) throws IOException {
    String manual = Files.readString(MANUAL);
    String begin = "<!-- " + name + ":begin -->\n";
    int from = manual.indexOf(begin) + begin.length();
    int to = manual.indexOf("<!-- " + name + ":end -->");
    assertThat(from).as("place for %s", name).isGreaterThan(begin.length() - 1);
    if ("write".equals(System.getProperty("retrysafe.docs"))) {
      Files.writeString(MANUAL, manual.substring(0, from) + part + manual.substring(to));
    } else {
      assertThat(manual.substring(from, to)).isEqualTo(part);
    }
  }
}
