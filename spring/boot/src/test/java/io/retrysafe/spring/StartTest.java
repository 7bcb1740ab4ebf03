// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.spring.internal.actuator.ActuatorAutoConfiguration;
import io.retrysafe.spring.internal.actuator.MetricsAutoConfiguration;
import io.retrysafe.spring.internal.engine.RetrysafeAutoConfiguration;
import io.retrysafe.spring.internal.method.MethodsAutoConfiguration;
import io.retrysafe.spring.internal.startup.StartupFailureAnalyzer;
import io.retrysafe.spring.internal.store.StoreAutoConfiguration;
import io.retrysafe.spring.internal.transaction.TransactionJoiner;
import io.retrysafe.spring.internal.transaction.TransactionJoiningAutoConfiguration;
import io.retrysafe.spring.internal.web.HttpGuardAutoConfiguration;
import io.retrysafe.spring.internal.web.MvcAutoConfiguration;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.layered.LayeredStore;
import io.retrysafe.store.memory.MemoryStore;
import io.retrysafe.store.redis.RedisStore;
import io.retrysafe.testing.servers.PostgresServer;
import io.retrysafe.testing.servers.RedisCluster;
import io.retrysafe.testing.servers.RedisServer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.sqlite.SQLiteDataSource;

/** What an application starts with, and what it must not start without. */
final class StartTest {
  private static final AutoConfigurations OURS =
      AutoConfigurations.of(
          JacksonAutoConfiguration.class,
          StoreAutoConfiguration.class,
          MetricsAutoConfiguration.class,
          RetrysafeAutoConfiguration.class,
          TransactionJoiningAutoConfiguration.class,
          MethodsAutoConfiguration.class,
          HttpGuardAutoConfiguration.class,
          MvcAutoConfiguration.class,
          ActuatorAutoConfiguration.class);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner().withConfiguration(OURS);
  private final ApplicationContextRunner memory =
      runner.withPropertyValues("retrysafe.store=memory");

  private static Consumer<Throwable> says(String description, String action) {
    return failure -> {
      FailureAnalysis analysis = new StartupFailureAnalyzer().analyze(failure);
      assertThat(analysis).as("analysis of %s", failure).isNotNull();
      if (analysis != null) {
        assertThat(analysis.getDescription()).contains(description);
        assertThat(analysis.getAction()).contains(action);
      }
    };
  }

  private void fails(ApplicationContextRunner with, String description, String action) {
    with.run(
        context -> {
          assertThat(context).hasFailed();
          assertThat(context.getStartupFailure()).satisfies(says(description, action));
        });
  }

  @Test
  void withoutAStoreNothingStarts() {
    fails(runner, "found nowhere to record operations", "retrysafe.store=memory");
    fails(
        runner.withPropertyValues("retrysafe.store=jdbc"),
        "there is no single DataSource",
        "Store");
    fails(runner.withPropertyValues("retrysafe.store=redis"), "neither a Lettuce client", "Redis");
  }

  @Test
  void switchedOffThereIsNothing() {
    runner
        .withPropertyValues("retrysafe.enabled=false")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HttpGuard.class));
  }

  @Test
  void transactionsElsewhereAreNoneOfOurs() {
    ApplicationContextRunner elsewhere =
        runner
            .withBean(DataSource.class, PGSimpleDataSource::new)
            .withBean(
                JdbcTransactionManager.class,
                () -> new JdbcTransactionManager(new PGSimpleDataSource()));
    elsewhere
        .withPropertyValues("retrysafe.store=memory")
        .run(
            context -> assertThat(context).hasNotFailed().doesNotHaveBean(TransactionJoiner.class));
    elsewhere
        .withPropertyValues("retrysafe.enabled=false")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void memoryIsUsedIfSomebodySaysSo() {
    memory.run(context -> assertThat(context).hasSingleBean(MemoryStore.class));
  }

  @Test
  void aStoreOfTheApplicationsOwnIsUsed() {
    Store own = MemoryStore.create();
    runner
        .withBean("own", Store.class, () -> own)
        .run(context -> assertThat(context.getBean(Store.class)).isSameAs(own));
  }

  @Test
  void aSqliteFileGetsItsTables(@TempDir Path folder) {
    runner
        .withBean(
            DataSource.class,
            () -> {
              SQLiteDataSource source = new SQLiteDataSource();
              source.setUrl("jdbc:sqlite:" + folder.resolve("operations.db"));
              return source;
            })
        .run(context -> assertThat(context).hasSingleBean(JdbcStore.class));
  }

  @Test
  void tablesOfAServerAreMadeOnlyIfSomebodySaysSo() {
    try (PostgresServer server = PostgresServer.start()) {
      ApplicationContextRunner postgres = runner.withBean(DataSource.class, () -> source(server));

      fails(postgres, "the table retrysafe_entry is missing", "initialize-schema=always");
      postgres
          .withPropertyValues("retrysafe.jdbc.initialize-schema=always")
          .run(context -> assertThat(context).hasSingleBean(JdbcStore.class));
      postgres
          .withPropertyValues("retrysafe.jdbc.initialize-schema=never")
          .run(context -> assertThat(context).as("they are there now").hasNotFailed());
      layered(postgres);
    }
  }

  private void layered(ApplicationContextRunner postgres) {
    postgres
        .withPropertyValues("retrysafe.store=layered")
        .run(context -> assertThat(context.getBean(Store.class)).isInstanceOf(LayeredStore.class));
    ApplicationContextRunner near =
        postgres.withPropertyValues("retrysafe.store=layered", "retrysafe.layered.near=redis");
    fails(near, "retrysafe.redis.url is not set", "redis://");
    fails(
        near.withPropertyValues("retrysafe.redis.url=redis://127.0.0.1:1"),
        "give a secret",
        "retrysafe.layered.secret");
    try (RedisServer server = RedisServer.start()) {
      near.withBean(RedisClient.class, () -> RedisClient.create(server.url()))
          .withPropertyValues("retrysafe.layered.secret=0123456789abcdef0123456789abcdef")
          .run(context -> leavesACopyIn(server, context.getBean(LayeredStore.class)));
    }
  }

  private static void leavesACopyIn(RedisServer server, LayeredStore store) throws Exception {
    OperationKey key = OperationKey.of(Scope.of("merchant_7", "pay"), "order-1");
    try (Retrysafe retrysafe = Retrysafe.create(store)) {
      // Copies are made by the first retry that finds the near side connected.
      for (int i = 0; i < 300 && server.tell("DBSIZE").equals("0"); i++) {
        retrysafe.run(key, Fingerprint.NONE, Codec.string(), operation -> "paid");
        TimeUnit.MILLISECONDS.sleep(100);
      }
      assertThat(server.tell("KEYS", "*")).startsWith("retrysafe:near:");
    }
  }

  private static DataSource source(PostgresServer server) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    return source;
  }

  private static void isIn(RedisServer server, RedisStore store) {
    server.tell("FLUSHALL");
    OperationKey key = OperationKey.of(Scope.of("merchant_7", "pay"), "order-1");
    Retrysafe.builder(store).history(false).build().begin(key, Fingerprint.NONE);
    assertThat(server.tell("KEYS", "*").lines()).hasSize(2);
  }

  @Test
  void theApplicationsRedisClusterIsUsed() {
    try (RedisCluster cluster = RedisCluster.start()) {
      String node = cluster.nodes().get(0).url();
      runner
          .withBean(RedisClusterClient.class, () -> RedisClusterClient.create(node))
          .run(
              context ->
                  assertThat(context.getBean(RedisStore.class).profile().name())
                      .startsWith("Redis Cluster"));
    }
  }

  @Test
  void theApplicationsRedisIsUsed() {
    try (RedisServer server = RedisServer.start()) {
      runner
          .withBean(RedisClient.class, () -> RedisClient.create(server.url()))
          .run(context -> isIn(server, context.getBean(RedisStore.class)));
      runner
          .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
          .withPropertyValues("spring.data.redis.url=" + server.url())
          .run(context -> isIn(server, context.getBean(RedisStore.class)));
      runner
          .withPropertyValues("retrysafe.store=redis", "retrysafe.redis.url=" + server.url())
          .run(context -> assertThat(context).hasSingleBean(RedisStore.class));
    }
  }

  @Test
  void optionalLibrariesMayBeMissing() {
    memory
        .withClassLoader(
            new FilteredClassLoader(
                "io.retrysafe.store.jdbc",
                "io.retrysafe.store.redis",
                "io.retrysafe.store.layered",
                "io.lettuce",
                "tools.jackson",
                "org.springframework.security",
                "org.springframework.boot.actuate",
                "org.springframework.boot.health",
                "org.springframework.jdbc",
                "org.springframework.transaction",
                "io.micrometer.core"))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(HttpGuard.class));
  }

  @Test
  void aReactiveApplicationDoesNotStart() {
    new ReactiveWebApplicationContextRunner()
        .withConfiguration(OURS)
        .withPropertyValues("retrysafe.store=memory")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .satisfies(says("reactive web applications", "gateway")));
  }

  @Test
  void annotationsThatWouldDoNothingAreErrors() {
    fails(memory.withBean(Private.class), "private, static or final", "override");
    fails(memory.withBean(Final.class), "private, static or final", "override");
    fails(memory.withBean(Keyless.class), "has no key", "#order.id");
    fails(memory.withBean(Later.class), "returns its result asynchronously", "Return the result");
    fails(memory.withBean(OnClass.class), "it is no controller", "on the methods");
    fails(memory.withBean(Unreadable.class), "cannot be read", "Correct");
    fails(memory.withBean(Misspelt.class), "retension", "Correct");
    fails(memory.withBean(One.class).withBean(Two.class), "is called pay", "name of its own");
  }

  @Test
  void handlersAreCheckedToo() {
    WebApplicationContextRunner web =
        new WebApplicationContextRunner()
            .withConfiguration(OURS)
            .withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class))
            .withPropertyValues("retrysafe.store=memory");
    web.withBean(WithExpression.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .satisfies(says("comes with the request", "key.from")));
    web.withBean(Joined.class)
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .satisfies(says("needs a store in the application's database", "jdbc")));
  }

  @Test
  void aWrongPropertyIsNamed() {
    fails(
        memory.withPropertyValues("retrysafe.retention=forever"), "retrysafe.retention", "Correct");
    fails(
        memory.withPropertyValues(
            "retrysafe.routes[0].match=POST /payments", "retrysafe.routes[0].waiters=3"),
        "holds for all routes",
        "retrysafe.routes");
  }

  static class Private {
    @Idempotent(key = "'k'")
    private void hidden() {}

    void use() {
      hidden();
    }
  }

  static class Final {
    @Idempotent(key = "'k'")
    public final void fixed() {}
  }

  static class Keyless {
    @Idempotent
    public void keyless() {}
  }

  static class Later {
    @Idempotent(key = "'k'")
    public CompletableFuture<String> later() {
      return CompletableFuture.completedFuture("");
    }
  }

  @Idempotent(key = "'k'")
  static class OnClass {}

  static class Unreadable {
    @Idempotent(key = "#(")
    public void unreadable() {}
  }

  static class Misspelt {
    @Idempotent(key = "'k'", settings = "retension=1d")
    public void misspelt() {}
  }

  static class One {
    @Idempotent(key = "'k'", name = "pay")
    public void one() {}
  }

  static class Two {
    @Idempotent(key = "'k'", name = "pay")
    public void two() {}
  }

  @RestController
  static class WithExpression {
    @Idempotent(key = "#p0")
    @PostMapping("/x")
    void handle(String name) {}
  }

  @RestController
  static class Joined {
    @Idempotent(transaction = Idempotent.Transaction.JOIN)
    @PostMapping("/x")
    void handle() {}
  }
}
