// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import io.retrysafe.testing.servers.PostgresServer;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls end when their caller's time is over, whatever the database does. */
final class CallDeadlineTest {
  private static final Duration TIME = Duration.ofMillis(400);

  /** A busy machine may let a thread wait that long for its turn. */
  private static final Duration SLACK = Duration.ofMillis(500);

  private PostgresServer server;

  @BeforeEach
  void start() {
    server = PostgresServer.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aServerThatIsGone() {
    try (JdbcStore store = store(Databases.postgres(server))) {
      Map<String, Runnable> calls = calls(store);
      server.kill();
      // The first ones find connections that are broken, the others none.
      calls.forEach((name, call) -> assertSilentInTime(name, call, ""));
      calls.forEach((name, call) -> assertSilentInTime(name, call, "refused"));
    }
  }

  @Test
  void aServerThatHangs() throws Exception {
    try (JdbcStore store = store(Databases.postgres(server))) {
      Map<String, Runnable> calls = calls(store);
      signal("-STOP");
      try {
        // The first ones hang in a connection that is open, the others while they open one.
        calls.forEach((name, call) -> assertSilentInTime(name, call, ""));
        calls.forEach((name, call) -> assertSilentInTime(name, call, ""));
      } finally {
        signal("-CONT");
      }
      assertThat(connectingThreads()).isLessThan(20);
      await(() -> answers(store));
    }
  }

  @Test
  void aPoolThatIsExhausted() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.url());
    config.setMaximumPoolSize(3);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(20_000);
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbcStore store = store(pool)) {
      List<Connection> taken = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        taken.add(pool.getConnection());
      }
      calls(Samples.claim(Samples.newKey()), store)
          .forEach((name, call) -> assertSilentInTime(name, call, "no connection"));
      assertThat(connectingThreads()).isLessThan(20);
      for (Connection each : taken) {
        each.close();
      }
      await(() -> answers(store));
    }
  }

  @Test
  void aCallWhoseTimeIsOverIsNotSent() {
    try (JdbcStore store = store(Databases.postgres(server))) {
      Claim claim = Samples.claim(Samples.newKey());
      NoAnswerException silence = silence(() -> within(Duration.ZERO, () -> store.claim(claim)));
      assertThat(silence).hasMessageContaining("over before it was sent");
      assertThat(store.find(claim.key())).isEmpty();
    }
  }

  private static Map<String, Runnable> calls(JdbcStore store) {
    Claim claim = Samples.claim(Samples.newKey());
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    assertThat(store.find(claim.key())).isPresent();
    return calls(claim, store);
  }

  private static Map<String, Runnable> calls(Claim claim, JdbcStore store) {
    Owner owner = claim.owner();
    Outcome large = Outcome.of(Bytes.wrap(new byte[200_000]));
    Map<String, Runnable> calls = new LinkedHashMap<>();
    calls.put("claim", () -> store.claim(Samples.claim(Samples.newKey())));
    calls.put("find", () -> store.find(claim.key()));
    calls.put("complete", () -> store.complete(owner, Samples.DONE, Samples.RETENTION));
    calls.put("complete, large", () -> store.complete(owner, large, Samples.RETENTION));
    calls.put("release", () -> store.release(owner, Release.UNKNOWN));
    calls.put("renew", () -> store.renew(Set.of(owner), Samples.RETENTION));
    calls.put("step", () -> store.step(owner, "a", Bytes.utf8("1")));
    calls.put("browse", () -> store.browse(Query.of(Set.of(State.COMPLETED), 10)));
    return calls;
  }

  private static void assertSilentInTime(String name, Runnable call, String message) {
    long start = System.nanoTime();
    NoAnswerException silence =
        silence(
            () ->
                within(
                    TIME,
                    () -> {
                      call.run();
                      return true;
                    }));
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertThat(took).as(name).isLessThan(TIME.plus(TIME.dividedBy(10)).plus(SLACK));
    assertThat(silence).as(name).hasMessageContaining(message);
  }

  private static NoAnswerException silence(Runnable call) {
    try {
      call.run();
    } catch (NoAnswerException e) {
      return e;
    }
    throw new AssertionError("an answer came");
  }

  private static <T> void within(Duration time, Supplier<T> call) {
    CallDeadline.within(time, System::nanoTime, call);
  }

  private static long connectingThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("retrysafe-connect"))
        .count();
  }

  private static JdbcStore store(DataSource source) {
    return JdbcStore.builder(source).applySchema(true).timeout(Duration.ofSeconds(10)).build();
  }

  private static boolean answers(JdbcStore store) {
    try {
      return store.claim(Samples.claim(Samples.newKey())) instanceof Granted;
    } catch (NoAnswerException e) {
      return false;
    }
  }

  private void signal(String signal) throws IOException, InterruptedException {
    ProcessHandle first = ProcessHandle.of(server.pid()).orElseThrow();
    List<String> command = new ArrayList<>(List.of("kill", signal, Long.toString(first.pid())));
    first.descendants().forEach(each -> command.add(Long.toString(each.pid())));
    new ProcessBuilder(command).start().waitFor();
  }

  private static void await(BooleanSupplier condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }
}
