// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.http.servlet.ReplayAuthorizer;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What the manual shows works. */
final class ManualTest {

  @Test
  void theManualsApplicationWorks() {
    try (App app =
        App.start(
            Application.class,
            "retrysafe.store=memory",
            "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")) {
      HttpResponse<String> first = app.post("u", "/carts", App.freshKey(), "{\"id\":\"c-1\"}");
      HttpResponse<String> retry = app.post("u", "/carts", App.freshKey(), "{\"id\":\"c-1\"}");

      assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
      assertThat(App.isReplay(retry)).isTrue();
      Shipping shipping = app.bean(Shipping.class);
      assertThat(shipping.ship(new Parcel("p-1", "Here")))
          .isEqualTo(shipping.ship(new Parcel("p-1", "Here")));
      assertThat(Shipping.SHIPPED).containsExactly("p-1");
    }
  }

  record Cart(String id) {}

  record Parcel(String id, String address) {}

  // snippet:method
  @Service
  static class Shipping {
    static final List<String> SHIPPED = new CopyOnWriteArrayList<>();

    @Idempotent(key = "#parcel.id", settings = "retention=7d")
    public String ship(Parcel parcel) {
      SHIPPED.add(parcel.id());
      return "label of " + parcel.id();
    }
  }

  // end

  /** What the manual's handlers belong to. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  @Import({Shipping.class, OpenSecurity.class})
  @RestController
  static class Application {
    // snippet:settings
    @Idempotent(settings = {"key.from=/id", "wait=2s", "failures=release"})
    @PostMapping("/carts")
    String order(@RequestBody Cart cart) {
      return "ordered " + cart.id();
    }

    // end

    // snippet:account
    @Bean
    AccountResolver tenants() {
      return request -> "tenant of " + request.getServerName(); // never what the client says
    }

    // end

    // snippet:authorizer
    @Bean
    ReplayAuthorizer replayAuthorizer() {
      return (request, replay) ->
          request.getHeader("X-Role") == null || request.isUserInRole("CLERK");
    }
    // end
  }
}
