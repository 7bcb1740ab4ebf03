// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files with secrets that others can read are warned about. */
class SecretFilesTest {
  private static final String UPSTREAM = "upstreams: { app: http://127.0.0.1:9 }\n";

  private final Path folder;

  SecretFilesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private List<String> warnings(String text, String mode) throws IOException {
    Path file = Files.writeString(folder.resolve("gateway.yaml"), UPSTREAM + text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    return ConfigSource.ofFile(file).get().warnings();
  }

  @Test
  void aConfigurationWithSecretsIsForItsOwner() throws IOException {
    for (String secret :
        List.of(
            "admin-token: 0123456789abcdef\n",
            "store: 'jdbc:postgresql://h/d?user=u&password=hidden'\n",
            "store: redis://:hidden@h:6379\n")) {
      assertThat(warnings(secret, "rw-r--r--"))
          .singleElement()
          .asString()
          .contains("gateway.yaml holds secrets", "chmod 600")
          .doesNotContain("hidden")
          .doesNotContain("0123456789abcdef");
      assertThat(warnings(secret, "rw-r-----")).isEmpty();
    }
    assertThat(warnings("store: sqlite:x.db\n", "rw-r--r--")).isEmpty();
  }

  @Test
  void soIsTheFileOfTheSecret() throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef".repeat(2));
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(warnings("secret-file: secret\n", "rw-------"))
        .singleElement()
        .asString()
        .contains("secret holds secrets (secret-file)");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    assertThat(warnings("secret-file: secret\n", "rw-------")).isEmpty();
  }
}
