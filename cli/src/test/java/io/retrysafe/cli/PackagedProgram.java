// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build packs, run from another folder. Run by its own name after packaging. */
class PackagedProgram {
  private static final Path DIST = Path.of(System.getProperty("retrysafe.dist", "target"));

  private final Path folder;

  PackagedProgram(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void theJarAloneRunsAGatewayOnSqlite() throws Exception {
    Path jar = Files.copy(DIST.resolve("retrysafe.jar"), folder.resolve("moved.jar"));
    Ledger ledger = new Ledger();
    try (PaymentsService service = PaymentsService.start(0, ledger, ledger::charge);
        Program gateway =
            Program.start(
                folder,
                Map.of("RETRYSAFE_UPSTREAM", service.url().toString()),
                List.of("-jar", jar.toString()),
                "gateway",
                "--listen",
                "127.0.0.1:0",
                "--admin",
                "127.0.0.1:0")) {
      HttpRequest pay =
          HttpRequest.newBuilder(URI.create(gateway.line("requests") + "/payments"))
              .header("Idempotency-Key", "k-1")
              .POST(HttpRequest.BodyPublishers.ofString("{\"amount\": 2500}"))
              .build();
      HttpClient client = HttpClient.newHttpClient();
      String first = client.send(pay, HttpResponse.BodyHandlers.ofString()).body();
      assertThat(client.send(pay, HttpResponse.BodyHandlers.ofString()).body()).isEqualTo(first);
      assertThat(ledger.charges()).isEqualTo(1);
      assertThat(folder.resolve("retrysafe.db")).exists();
      assertThat(gateway.interrupt()).isEqualTo(130);
    }
  }

  @Test
  void theJarPlaysACrash() throws Exception {
    List<String> jar = List.of("-jar", DIST.resolve("retrysafe.jar").toAbsolutePath().toString());
    try (Program demo = Program.start(folder, Map.of(), jar, "demo", "--break", "crash")) {
      assertThat(demo.exit()).as(demo.err()).isEqualTo(0);
      assertThat(demo.out()).contains("409 outcome-unknown");
    }
  }

  @Test
  void theJarHoldsDriversAndLicencesAndNoSignatures() throws Exception {
    try (JarFile jar = new JarFile(DIST.resolve("retrysafe.jar").toFile())) {
      assertThat(text(jar, "META-INF/services/java.sql.Driver"))
          .contains("org.sqlite.JDBC", "org.postgresql.Driver");
      assertThat(text(jar, "META-INF/LICENSE")).contains("Apache License");
      assertThat(jar.stream().map(entry -> entry.getName()))
          .noneMatch(name -> name.matches("META-INF/.*\\.(SF|DSA|RSA)"))
          .noneMatch(name -> name.startsWith("org/mariadb"));
      assertThat(jar.getManifest().getMainAttributes().getValue("Multi-Release")).isEqualTo("true");
    }
  }

  private static String text(JarFile jar, String name) throws Exception {
    try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void theTarHasALauncherAndAFileThatPassesTheCheck() throws Exception {
    String tar = DIST.resolve("retrysafe.tar.gz").toAbsolutePath().toString();
    run("tar", "xzf", tar, "--strip-components", "1");
    Files.createSymbolicLink(folder.resolve("link"), Path.of("retrysafe"));
    assertThat(run("./link", "config", "check", "retrysafe.yaml")).contains("is valid");
    assertThat(run("./retrysafe", "--version")).matches("retrysafe [0-9].*\\s*");
    assertThat(folder.resolve("LICENSE")).exists();
  }

  private String run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(said).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }
}
