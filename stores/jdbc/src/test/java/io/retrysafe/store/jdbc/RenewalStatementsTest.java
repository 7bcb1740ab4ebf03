// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Owner;
import io.retrysafe.testing.servers.PostgresServer;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** How many rows the statements have that renew the leases of very many owners. */
final class RenewalStatementsTest {
  private static final int OWNERS = 100_000;
  private static final int LARGEST = 500;
  private static final PostgresServer SERVER = PostgresServer.start();

  /** How many rows each statement with arrays had. */
  private final Queue<Integer> rows = new ConcurrentLinkedQueue<>();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void aHundredThousandLeasesAreRenewedInSmallStatementsBetweenWhichOthersClaim() throws Exception {
    try (JdbcStore store =
        JdbcStore.builder(counting(Databases.postgres(SERVER)))
            .timeout(Duration.ofSeconds(20))
            .applySchema(true)
            .build()) {
      Set<Owner> running = new HashSet<>();
      for (int i = 0; i < 10; i++) {
        running.add(claimed(store));
      }
      Set<Owner> all = new HashSet<>(running);
      while (all.size() < OWNERS) {
        all.add(Samples.claim(Samples.newKey()).owner());
      }
      rows.clear();

      CompletableFuture<Set<Owner>> renewal =
          CompletableFuture.supplyAsync(() -> store.renew(all, Duration.ofHours(1)));
      int claims = 0;
      while (!renewal.isDone()) {
        claimed(store);
        claims++;
      }

      assertThat(renewal.get(1, TimeUnit.MINUTES)).isEqualTo(running);
      assertThat(rows).as("rows of each statement").allMatch(size -> size <= LARGEST);
      int sum = rows.stream().mapToInt(Integer::intValue).sum();
      assertThat(sum).as("rows of all, each once").isBetween(OWNERS, OWNERS + claims);
      assertThat(claims).as("claims that did not wait for all of them").isGreaterThan(10);
    }
  }

  private static Owner claimed(JdbcStore store) {
    Claim claim = Samples.claim(Samples.newKey());
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    return claim.owner();
  }

  private DataSource counting(DataSource source) {
    return proxied(source, DataSource.class, new int[1]);
  }

  /** Returns the same, and notes the length of the first array of every statement that runs. */
  private <T> T proxied(Object inner, Class<T> type, int[] size) {
    return type.cast(
        Proxy.newProxyInstance(
            RenewalStatementsTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("setObject") && arguments[1].getClass().isArray()) {
                size[0] = Math.max(size[0], Array.getLength(arguments[1]));
              }
              if (method.getName().startsWith("execute") && size[0] > 0) {
                rows.add(size[0]);
                size[0] = 0;
              }
              Object result;
              try {
                result = method.invoke(inner, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (result instanceof PreparedStatement) {
                return proxied(result, PreparedStatement.class, new int[1]);
              }
              return result instanceof Connection
                  ? proxied(result, Connection.class, new int[1])
                  : result;
            }));
  }
}
