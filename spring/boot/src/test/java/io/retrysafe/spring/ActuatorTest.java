// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What Actuator and Micrometer show. */
final class ActuatorTest {
  private static final String[] PROPERTIES = {
    "retrysafe.store=memory",
    "retrysafe.anonymous=shared",
    "management.endpoint.health.show-details=always",
    "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
  };

  @Test
  void theEndpointIsNotExposedByDefault() {
    try (App app = App.start(Application.class, PROPERTIES)) {
      assertThat(app.get("/actuator/retrysafe").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void anExposedEndpointListsAndShowsOperations() {
    String[] exposed = PROPERTIES.clone();
    exposed[2] = "management.endpoints.web.exposure.include=retrysafe";
    try (App app = App.start(Application.class, exposed)) {
      app.post("u", "/payments/7", "key-1", "{}");
      app.post("u", "/payments/7", "key-2", "{}");

      HttpResponse<String> all = app.get("/actuator/retrysafe?state=completed&limit=10");
      HttpResponse<String> one = app.get("/actuator/retrysafe?key=key-2");
      String id = one.body().replaceAll("(?s).*\"id\":\"([^\"]+)\".*", "$1");
      HttpResponse<String> shown = app.get("/actuator/retrysafe/" + id);

      assertThat(all.body()).contains("key-1", "key-2", "POST /payments/7", "\"status\":200");
      assertThat(one.body()).contains("key-2").doesNotContain("key-1");
      assertThat(shown.statusCode()).isEqualTo(200);
      assertThat(shown.body()).contains("key-2", "completed").doesNotContain("paid");
      assertThat(app.get("/actuator/retrysafe?state=done").statusCode()).isEqualTo(400);
      assertThat(app.get("/actuator/retrysafe?limit=0").statusCode()).isEqualTo(400);
      assertThat(app.get("/actuator/retrysafe/no-id").statusCode()).isEqualTo(400);
      assertThat(app.get("/actuator/retrysafe/op_unknown").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void healthSaysWhichStoreAnswersAndWhatItPromises() {
    try (App app = App.start(Application.class, PROPERTIES)) {
      assertThat(app.get("/actuator/health").body())
          .contains("\"retrysafe\":{\"details\":{\"store\":\"memory\"", "promise");
    }
  }

  @Test
  void whatHappensIsCountedAndObservedButNeverByKey() {
    try (App app = App.start(Application.class, PROPERTIES)) {
      app.post("u", "/payments/7", "key-1", "{}");
      app.post("u", "/payments/7", "key-1", "{}");
      app.post("u", "/payments/7", "key-1", "{\"other\":1}");

      MeterRegistry registry = app.bean(MeterRegistry.class);
      assertThat(registry.get("retrysafe.events").tag("kind", "replayed").counter().count())
          .isEqualTo(1);
      for (String result : List.of("run", "replay", "problem-422")) {
        assertThat(timed(registry, result)).isEqualTo(1);
      }
      for (Meter meter : registry.getMeters()) {
        if (meter.getId().getName().startsWith("retrysafe.")) {
          assertThat(meter.getId().getTags())
              .extracting(Tag::getValue)
              .noneMatch(value -> value.contains("key-1") || value.contains("/payments/7"));
        }
      }
    }
  }

  /** An observation ends a moment after its answer was sent. */
  private static long timed(MeterRegistry registry, String result) {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    Timer timer = registry.find("retrysafe.request").tag("result", result).timer();
    while (timer == null && System.nanoTime() < deadline) {
      LockSupport.parkNanos(10_000_000);
      timer = registry.find("retrysafe.request").tag("result", result).timer();
    }
    return timer == null ? 0 : timer.count();
  }

  /** A payment. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  @Import(OpenSecurity.class)
  @RestController
  static class Application {
    @Idempotent
    @PostMapping("/payments/{id}")
    String pay(@PathVariable String id) {
      return "paid " + id;
    }
  }
}
