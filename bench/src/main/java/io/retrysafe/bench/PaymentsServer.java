// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.spring.AccountResolver;
import io.retrysafe.spring.Idempotent;
import io.retrysafe.testing.servers.PostgresServer;
import java.util.UUID;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** A Spring Boot application that takes payments, on a PostgreSQL of its own. */
final class PaymentsServer {
  private final JdbcTemplate jdbc;
  private final int port;

  private PaymentsServer(JdbcTemplate jdbc, int port) {
    this.jdbc = jdbc;
    this.port = port;
  }

  static PaymentsServer start() {
    PostgresServer server = PostgresServer.start();
    ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .properties(
                "server.port=0",
                "server.address=127.0.0.1",
                "server.tomcat.threads.max=100",
                // Tomcat would close connections after a hundred requests, or while they wait for
                // their round.
                "server.tomcat.max-keep-alive-requests=-1",
                "server.tomcat.connection-timeout=1h",
                "server.tomcat.keep-alive-timeout=1h",
                "spring.main.banner-mode=off",
                "spring.datasource.url=" + server.url(),
                "spring.datasource.hikari.maximum-pool-size=30",
                "retrysafe.jdbc.initialize-schema=always",
                // A stalled disk shows as time, not as a failure.
                "retrysafe.jdbc.timeout=30s",
                "retrysafe.store-deadline=30s")
            .run();
    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
    jdbc.execute("CREATE TABLE payment (id uuid PRIMARY KEY, cents bigint, currency text)");
    int port =
        context instanceof WebServerApplicationContext web && web.getWebServer() != null
            ? web.getWebServer().getPort()
            : 0;
    return new PaymentsServer(jdbc, port);
  }

  int port() {
    return port;
  }

  void clear() {
    jdbc.execute("TRUNCATE payment, retrysafe_entry");
  }

  record Order(long cents, String currency) {}

  record Payment(UUID id, long cents, String currency) {}

  /** The application. */
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Payments.class, Handlers.class})
  static class Application {
    @Bean
    AccountResolver account() {
      return request -> "merchant_7";
    }
  }

  /** The same handler three times. */
  @RestController
  @ResponseStatus(HttpStatus.CREATED)
  static class Handlers {
    private final Payments payments;

    Handlers(Payments payments) {
      this.payments = payments;
    }

    @PostMapping("/bare")
    Payment bare(@RequestBody Order order) {
      return payments.pay(order);
    }

    @Idempotent
    @PostMapping("/payments")
    Payment first(@RequestBody Order order) {
      return payments.pay(order);
    }

    @Idempotent(transaction = Idempotent.Transaction.JOIN)
    @PostMapping("/joined")
    Payment joined(@RequestBody Order order) {
      return payments.pay(order);
    }
  }

  /** Writes a row in a transaction. */
  static class Payments {
    private final JdbcTemplate jdbc;

    Payments(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Transactional
    public Payment pay(Order order) {
      Payment payment = new Payment(UUID.randomUUID(), order.cents(), order.currency());
      jdbc.update(
          "INSERT INTO payment VALUES (?, ?, ?)",
          payment.id(),
          payment.cents(),
          payment.currency());
      return payment;
    }
  }
}
