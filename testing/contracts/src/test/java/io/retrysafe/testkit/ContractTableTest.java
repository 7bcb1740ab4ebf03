// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ContractTableTest {
  private static final String TABLE =
      """
      | rule | Alpha | beta_1 |
      |---|---|---|
      | C-01 | passed | not offered |
      | C-02 | not run | failed |
      | C-100 | not applicable | not run |
      """;

  private final Path folder;

  ContractTableTest(@TempDir Path folder) {
    this.folder = folder;
    ContractTable.write(
        folder, "Alpha", Map.of("C-01", Verdict.PASSED, "C-100", Verdict.NOT_APPLICABLE));
    ContractTable.write(
        folder, "beta/1", Map.of("C-01", Verdict.NOT_OFFERED, "C-02", Verdict.FAILED));
  }

  @AfterEach
  void stopWriting() {
    System.clearProperty("retrysafe.docs");
  }

  private Path document(String table) throws IOException {
    String text = "before\n<!-- table:begin -->\n" + table + "<!-- table:end -->\nafter\n";
    return Files.writeString(folder.resolve("document.md"), text);
  }

  @Test
  void everyStoreIsAColumnAndEveryRuleARow() {
    assertThat(ContractTable.render(folder)).isEqualTo(TABLE);
  }

  @Test
  void aDocumentWithTheTableIsLeftAlone() throws IOException {
    Path document = document(TABLE);

    ContractTable.verify(document, folder);

    assertThat(document)
        .content()
        .isEqualTo("before\n<!-- table:begin -->\n" + TABLE + "<!-- table:end -->\nafter\n");
  }

  @Test
  void aDocumentWithAnotherTableIsRefused() throws IOException {
    Path document = document("| old |\n");

    assertThatThrownBy(() -> ContractTable.verify(document, folder))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("-Dretrysafe.docs=write")
        .hasMessageContaining(TABLE);
    assertThat(document).content().contains("| old |");
  }

  @Test
  void aDocumentIsRenewedWhenAskedFor() throws IOException {
    Path document = document("| old |\n");
    System.setProperty("retrysafe.docs", "write");

    ContractTable.verify(document, folder);

    assertThat(document).content().startsWith("before\n").contains(TABLE).endsWith("after\n");
  }

  @Test
  void aDocumentWithoutAPlaceForTheTableIsRefused() throws IOException {
    Path document = Files.writeString(folder.resolve("document.md"), "nothing\n");

    assertThatThrownBy(() -> ContractTable.verify(document, folder))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("<!-- table:begin -->");
  }
}
