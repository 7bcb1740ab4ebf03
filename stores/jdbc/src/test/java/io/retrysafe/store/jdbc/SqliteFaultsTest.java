// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Phase;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.StoreException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** The embedded store on a full disk, in two processes, and after a crash. */
final class SqliteFaultsTest {

  @Test
  void aFullDiskRefusesTheCallAndSpoilsNothing() {
    SQLiteConfig config = new SQLiteConfig();
    config.setMaxPageCount(40);
    SQLiteDataSource source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + Databases.newFile());
    Outcome large = Outcome.of(Bytes.wrap(new byte[400_000]));
    try (JdbcStore store = JdbcStore.builder(source).applySchema(true).build()) {
      Claim claim = Samples.claim(Samples.newKey());
      assertThat(store.claim(claim)).isInstanceOf(Granted.class);
      assertThatThrownBy(() -> store.complete(claim.owner(), large, Samples.RETENTION))
          .isInstanceOf(RefusedCallException.class)
          .hasMessageContaining("full");
      assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
    }
  }

  /**
   * A statement that fails without having run, as when the disk is full, or after it ran. Where the
   * end of a transaction fails too, its connection keeps the file locked until it is closed.
   */
  @ParameterizedTest
  @CsvSource({
    "BEGIN, 13, false",
    "BEGIN, 13, true",
    "BEGIN, 10, true",
    "COMMIT|ROLLBACK, 13, false",
    "COMMIT|ROLLBACK, 10, false",
    "COMMIT, 13, true",
    "INSERT|UPDATE|ROLLBACK, 13, false",
    "INSERT|UPDATE|ROLLBACK, 10, false",
    "DELETE|SELECT|ROLLBACK, 13, false",
    ".*, 13, false",
    ".*, 13, true",
    ".*, 10, false",
  })
  void theStoreAnswersAgainOnceStatementsSucceed(String failing, int code, boolean afterwards)
      throws Exception {
    Pattern pattern = Pattern.compile("(" + failing + ")(?s:.*)");
    AtomicBoolean isFull = new AtomicBoolean();
    DataSource source =
        Databases.around(
            Databases.sqlite(Databases.newFile()),
            (sql, statement) -> {
              if (!isFull.get() || !pattern.matcher(sql).lookingAt()) {
                return statement.call();
              }
              if (afterwards) {
                statement.call();
              }
              throw new SQLException("the disk is full", null, code);
            });
    try (JdbcStore store =
        JdbcStore.builder(source).applySchema(true).timeout(Duration.ofMillis(500)).build()) {
      Claim before = Samples.claim(Samples.newKey());
      store.claim(before);
      isFull.set(true);
      List<Callable<?>> calls =
          List.of(
              () -> store.claim(Samples.claim(Samples.newKey())),
              () -> store.complete(before.owner(), Samples.DONE, Samples.RETENTION),
              () -> store.keep("secret", Bytes.utf8("kept")),
              () -> store.sweep(10),
              () -> store.find(before.key()),
              () -> store.renew(Set.of(before.owner()), Samples.RETENTION));
      List<Thread> callers = new ArrayList<>();
      for (Callable<?> call : calls) {
        // As a batch, and on several connections.
        for (int i = 0; i < 4; i++) {
          Thread caller = new Thread(() -> endsSomehow(call));
          caller.start();
          callers.add(caller);
        }
      }
      for (Thread caller : callers) {
        caller.join();
      }
      isFull.set(false);

      awaitTrue(() -> store.claim(Samples.claim(Samples.newKey())) instanceof Granted);
      // Each of the connections that are kept.
      for (int i = 0; i < 8; i++) {
        String name = "name-" + i;
        awaitTrue(() -> store.keep(name, Bytes.utf8("kept")).equals(Bytes.utf8("kept")));
      }
      awaitTrue(() -> store.complete(before.owner(), Samples.DONE, Samples.RETENTION));
    }
  }

  /**
   * Opening a connection may take longer than a call on a busy machine: then it is called again.
   */
  private static void awaitTrue(Callable<Boolean> call) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    boolean isTrue = false;
    while (!isTrue) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      try {
        isTrue = call.call();
      } catch (StoreException e) {
        // Until the time is over.
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
  }

  private static void endsSomehow(Callable<?> call) {
    try {
      call.call();
    } catch (Exception e) {
      assertThat(e).isInstanceOf(StoreException.class);
    }
  }

  /** SQLite removes its log with the last connection: as long as it is there, somebody writes. */
  @Test
  void aClosedStoreHasLetGoOfItsFile() {
    for (int i = 0; i < 20; i++) {
      Path file = Databases.newFile();
      try (JdbcStore store = JdbcStore.embedded(file).build()) {
        assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
      }
      assertThat(file.resolveSibling(file.getFileName() + "-wal")).doesNotExist();
    }
  }

  @Test
  void onlyItsOwnerMayReadTheFileAndItsCompanions() throws Exception {
    Path file = Databases.newFile();
    for (int round = 0; round < 2; round++) {
      try (JdbcStore store = JdbcStore.embedded(file).build()) {
        assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
        Map<String, String> permissions = permissions(file);
        assertThat(permissions).as("round %d", round).hasSizeGreaterThan(2);
        assertThat(permissions.values()).as("%s", permissions).containsOnly("rw-------");
      }
      // As an earlier build, or a restored backup, left it.
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }
  }

  private static Map<String, String> permissions(Path file) throws Exception {
    Map<String, String> permissions = new TreeMap<>();
    String prefix = String.valueOf(file.getFileName());
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(file.resolveSibling("."), prefix + "*")) {
      for (Path each : files) {
        permissions.put(
            String.valueOf(each.getFileName()),
            PosixFilePermissions.toString(Files.getPosixFilePermissions(each)));
      }
    }
    return permissions;
  }

  @Test
  void aSecondProcessIsToldThatTheFileIsTaken() throws Exception {
    Path file = Databases.newFile();
    try (JdbcStore store = JdbcStore.embedded(file).build()) {
      assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
      assertThat(otherProcess(file)).contains(file + " is in use by another process");
    }
    assertThat(otherProcess(file)).contains("ready");
  }

  @Test
  void whatWasAcknowledgedSurvivesAKilledProcess() throws Exception {
    Path file = Databases.newFile();
    Path out = file.resolveSibling("acknowledged");
    Process process = start(file, "forever", Redirect.to(out.toFile()));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (acknowledged(out).size() < 200 && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    process.destroyForcibly().waitFor();

    List<Integer> acknowledged = acknowledged(out);
    assertThat(acknowledged).hasSizeGreaterThan(199);
    try (JdbcStore store = JdbcStore.embedded(file).build()) {
      for (int number : acknowledged) {
        assertThat(store.claim(Samples.claim(EmbeddedProcess.key(number))))
            .isInstanceOfSatisfying(
                Held.class, held -> assertThat(held.entry().phase()).isEqualTo(Phase.SETTLED));
      }
    }
  }

  /** Returns the numbers on whole lines; later JVMs also print warnings about native access. */
  private static List<Integer> acknowledged(Path out) throws Exception {
    String text = Files.exists(out) ? Files.readString(out) : "";
    return text.substring(0, text.lastIndexOf('\n') + 1)
        .lines()
        .filter(line -> line.matches("\\d+"))
        .map(Integer::valueOf)
        .toList();
  }

  private static String otherProcess(Path file) throws Exception {
    Process process = start(file, "once", Redirect.PIPE);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static Process start(Path file, String how, Redirect out) throws Exception {
    Files.createDirectories(file.getParent());
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElse("java"),
            "-cp",
            System.getProperty("java.class.path"),
            "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
            EmbeddedProcess.class.getName(),
            file.toString(),
            how)
        .redirectErrorStream(true)
        .redirectOutput(out)
        .start();
  }
}
