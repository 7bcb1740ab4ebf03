// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.State;
import io.retrysafe.store.Token;
import io.retrysafe.store.jdbc.Request.OtherRequest;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers that would fill the memory if those of a whole batch came together. */
final class LargeAnswersTest {
  private static final int KIB = 1024;
  private static final int MIB = KIB * KIB;
  private static final PostgresServer POSTGRES = PostgresServer.start();
  private static final MariaDbServer MARIADB = MariaDbServer.start();
  private static final Path FILE = Databases.newFile();

  @AfterAll
  static void stop() {
    POSTGRES.close();
    MARIADB.close();
  }

  private record Database(String name, String url, DataSource source) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Database> databases() {
    return Stream.of(
        new Database("PostgreSQL", POSTGRES.url(), Databases.postgres(POSTGRES)),
        new Database("MariaDB", MARIADB.url(), Databases.mariaDb(MARIADB)),
        new Database("SQLite", "jdbc:sqlite:" + FILE, Databases.sqlite(FILE)));
  }

  @ParameterizedTest
  @MethodSource("databases")
  void everyAnswerComesWholeWhateverItsSize(Database database) throws Exception {
    try (JdbcStore store = store(database)) {
      Map<Claim, Outcome> settled = new LinkedHashMap<>();
      for (int size : List.of(0, 10, 17 * KIB, 255 * KIB, 257 * KIB, 2 * MIB, 7 * MIB)) {
        Claim claim = granted(store);
        Outcome outcome = Outcome.of(Bytes.wrap(filled(size)));
        assertThat(store.complete(claim.owner(), outcome, Samples.RETENTION)).isTrue();
        settled.put(claim, outcome);
      }
      for (Map.Entry<Claim, Outcome> each : settled.entrySet()) {
        Claim claim = Samples.claim(each.getKey().key());
        assertThat(outcome(store.claim(claim))).isEqualTo(each.getValue());
        assertThat(store.find(claim.key()).orElseThrow().outcome()).contains(each.getValue());
      }
      List<Claim> retries = new ArrayList<>();
      List<CompletableFuture<ClaimResult>> answers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        for (Claim first : settled.keySet()) {
          Claim retry = Samples.claim(first.key());
          retries.add(first);
          answers.add(store.claim(retry, ForkJoinPool.commonPool()).toCompletableFuture());
        }
      }
      for (int i = 0; i < retries.size(); i++) {
        assertThat(outcome(answers.get(i).get(60, TimeUnit.SECONDS)))
            .isEqualTo(settled.get(retries.get(i)));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void aPageWithLargeAnswersIsShorterAndTheNextGoesOn(Database database) {
    try (JdbcStore store = store(database)) {
      String account = "large-" + database.name;
      Map<OperationKey, Outcome> settled = new LinkedHashMap<>();
      for (int size : List.of(10, 7 * MIB, 7 * MIB, 20, 7 * MIB, 300 * KIB, 30, 7 * MIB)) {
        Claim claim = Samples.claim(Samples.newKey(account));
        Outcome outcome = Outcome.of(Bytes.wrap(filled(size)));
        store.claim(claim);
        assertThat(store.complete(claim.owner(), outcome, Samples.RETENTION)).isTrue();
        settled.put(claim.key(), outcome);
      }
      Map<OperationKey, Outcome> found = new LinkedHashMap<>();
      Query query =
          new Query(
              Set.of(State.COMPLETED),
              Optional.of(account),
              Optional.empty(),
              Optional.empty(),
              Duration.ZERO,
              100,
              Optional.empty());
      int pages = 0;
      for (Optional<Query> next = Optional.of(query); next.isPresent(); pages++) {
        Browsable.Page page = store.browse(next.orElseThrow());
        page.entries().forEach(entry -> found.put(entry.key(), entry.outcome().orElseThrow()));
        next = page.next().map(query::after);
      }
      assertThat(found).isEqualTo(settled);
      assertThat(pages).isEqualTo(2);
    }
  }

  @Test
  void aLargeAnswerThatIsForgottenMeanwhileIsNotWaitedFor() {
    Database database = databases().findFirst().orElseThrow();
    try (JdbcStore other = store(database)) {
      Claim claim = granted(other);
      Outcome large = Outcome.of(Bytes.wrap(new byte[MIB]));
      assertThat(other.complete(claim.owner(), large, Samples.RETENTION)).isTrue();
      Entry seen = other.find(claim.key()).orElseThrow();
      DataSource source =
          Databases.around(
              database.source,
              (sql, statement) -> {
                // The answer is about to be read by itself.
                if (sql.startsWith("SELECT e.token") && sql.endsWith("WHERE e.id = ?")) {
                  other.resolve(seen, Token.of(UUID.randomUUID()), new Resolution.Forget());
                }
                return statement.call();
              });
      try (JdbcStore store = store(new Database(database.name, database.url, source))) {
        assertThat(store.claim(Samples.claim(claim.key()))).isInstanceOf(Granted.class);
      }
      assertThat(other.find(claim.key()).orElseThrow().state()).isEqualTo(State.IN_PROGRESS);
    }
  }

  /** A lane that is slow is not a key that is in use. */
  @Test
  void aReplyThatIsLateAndUndecidedIsAskedAgain() {
    StoreContext context =
        StoreContext.of(JdbcStore.builder(Databases.postgres(POSTGRES)).applySchema(true));
    try {
      AtomicInteger asked = new AtomicInteger();
      Session.Work<AttemptResult<String>> work =
          session -> {
            if (asked.getAndIncrement() > 0) {
              return new AttemptResult.Answered<>("settled");
            }
            sleep(Duration.ofMillis(700));
            return new AttemptResult.Undecided<>();
          };
      OtherRequest<String> request = new OtherRequest<>(RowId.of(Samples.newKey()), work);
      assertThat(context.queue().send(request, () -> "contended")).isEqualTo("settled");
    } finally {
      context.close();
    }
  }

  /** In the caller's own thread, and through the queue if the lane is taken. */
  @Test
  void anUndecidedRequestIsSentAgainAfterPauses() {
    StoreContext context =
        StoreContext.of(JdbcStore.builder(Databases.postgres(POSTGRES)).applySchema(true));
    try {
      AtomicInteger asked = new AtomicInteger();
      Session.Work<AttemptResult<String>> work =
          session -> {
            asked.incrementAndGet();
            return new AttemptResult.Undecided<>();
          };
      OtherRequest<String> request = new OtherRequest<>(RowId.of(Samples.newKey()), work);
      assertThat(context.queue().send(request, () -> "contended")).isEqualTo("contended");
      assertThat(asked.get()).as("attempts within half a second").isBetween(2, 200);
    } finally {
      context.close();
    }
  }

  @Test
  void anAnswerThatCannotBeWrittenIsRefusedBeforeItIsInABatch() {
    try (JdbcStore store = store(databases().findFirst().orElseThrow())) {
      Claim claim = granted(store);
      Outcome.Attribute attribute = new Outcome.Attribute("a", "b");
      Outcome outcome =
          new Outcome(
              Outcome.Kind.FINAL,
              200,
              Collections.nCopies(40_000, attribute),
              Bytes.utf8(""),
              true);
      assertThat(
              store.complete(claim.owner(), outcome, Samples.RETENTION, ForkJoinPool.commonPool()))
          .failsWithin(Duration.ZERO)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(IllegalArgumentException.class)
          .withMessageContaining("40000");
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void manyRetriesOfLargeAnswersLeaveTheLanesAlive(Database database) throws Exception {
    boolean isFile = database.name.equals("SQLite");
    String out =
        isFile
            ? process("-Xmx256m", database.url.replace(".db", "-2.db"), 300, MIB)
            : process("-Xmx256m", database.url, 100, 4 * MIB);
    assertThat(out)
        .contains("lanes alive: true")
        .contains("later calls answered: 64 of 64")
        .contains("contended: 0")
        .contains("wrong: 0")
        .contains("thrown: 0");
  }

  private static String process(String heap, String url, int callers, int size) throws Exception {
    Path out = Files.createTempFile("retries", ".txt");
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                heap,
                // The lanes would survive it; but it must not happen.
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                LargeRetriesProcess.class.getName(),
                url,
                Integer.toString(callers),
                Integer.toString(size))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("ended, %s", text(out)).isTrue();
      return text(out);
    } finally {
      process.destroyForcibly();
      Files.delete(out);
    }
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }

  private static JdbcStore store(Database database) {
    return JdbcStore.builder(database.source)
        .applySchema(true)
        .timeout(Duration.ofSeconds(20))
        .build();
  }

  private static Claim granted(JdbcStore store) {
    Claim claim = Samples.claim(Samples.newKey());
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    return claim;
  }

  private static Outcome outcome(ClaimResult result) {
    assertThat(result).isInstanceOf(Held.class);
    return ((Held) result).entry().outcome().orElseThrow();
  }

  private static byte[] filled(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) ((i * 31) >> 3);
    }
    return bytes;
  }

  private static void sleep(Duration time) {
    try {
      TimeUnit.NANOSECONDS.sleep(time.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
