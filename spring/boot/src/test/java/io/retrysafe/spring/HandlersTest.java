// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;

/** Which handlers a request reaches, and what they get. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HandlersTest {
  private @Nullable App started;

  @BeforeAll
  void start() {
    started =
        App.start(
            Application.class,
            "retrysafe.store=memory",
            "retrysafe.anonymous=shared",
            "retrysafe.routes[0].match=POST /configured",
            "spring.mvc.apiversion.use.header=X-Version",
            "spring.mvc.apiversion.supported=1,2",
            "spring.mvc.apiversion.default=1",
            "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
  }

  @AfterAll
  void stop() {
    if (started != null) {
      started.close();
    }
  }

  private App app() {
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }

  private HttpResponse<String> versioned(String version, String key) {
    return app()
        .send(
            app()
                .request("/versioned")
                .header("X-Version", version)
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.noBody())
                .build());
  }

  @Test
  void anApiVersionIsPartOfTheScope() {
    String key = App.freshKey();

    assertThat(versioned("1", key).body()).isEqualTo("one");
    assertThat(versioned("2", key).body()).isEqualTo("two");
    HttpResponse<String> retry = versioned("1", key);
    assertThat(App.isReplay(retry)).as("%s %s", retry, retry.body()).isTrue();
  }

  @Test
  void aConfiguredRouteNeedsNoAnnotation() {
    String key = App.freshKey();
    HttpResponse<String> first = app().post("u", "/configured", key, "x");
    HttpResponse<String> retry = app().post("u", "/configured", key, "x");

    assertThat(App.isReplay(retry)).as("%s %s", retry, retry.body()).isTrue();
    assertThat(retry.body()).isEqualTo(first.body());
  }

  @Test
  void anAnnotatedHandlerThatIsForwardedToDoesNotRunUnguarded() {
    int before = Application.RUNS.get();

    assertThat(app().post("u", "/forwarding", App.freshKey(), "x").statusCode()).isEqualTo(500);
    assertThat(Application.RUNS).hasValue(before);
  }

  @Test
  void whatSpringMvcRefusesIsLeftToIt() {
    String key = App.freshKey();

    assertThat(app().post("u", "/nowhere", key, "x").statusCode()).isEqualTo(404);
    assertThat(app().post("u", "/reading", key, "x").statusCode()).isEqualTo(405);
    assertThat(app().get("/reading").body()).isEqualTo("read");
  }

  @Test
  void aMethodInsideAHandlerAnswersWithTheSameProblemsAndKeepsNothing() {
    String key = App.freshKey();
    HttpResponse<String> first = app().post("u", "/inner", key, "a");
    HttpResponse<String> second = app().post("u", "/inner", App.freshKey(), "b");
    HttpResponse<String> again = app().post("u", "/inner", App.freshKey(), "a");

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(second.statusCode()).isEqualTo(422);
    assertThat(second.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(second.body())
        .contains("\"type\":\"urn:retrysafe:problem:key-reused\"", "\"retryable\":false");
    assertThat(again.body()).isEqualTo(first.body());
  }

  @Test
  void aTimeOutThatAnAdviceAnswersLeavesTheOutcomeUnknown() {
    int before = Application.RUNS.get();
    String key = App.freshKey();
    HttpResponse<String> first = app().post("u", "/timing-out", key, "x");

    assertThat(first.statusCode()).isEqualTo(503);
    assertThat(first.body()).isEqualTo("the bank is slow");
    HttpResponse<String> retry = app().post("u", "/timing-out", key, "x");
    assertThat(retry.statusCode()).isEqualTo(409);
    assertThat(retry.body()).contains("outcome-unknown");
    assertThat(Application.RUNS).hasValue(before + 1);
  }

  @Test
  void aTimeOutThatNobodyAnswersLeavesTheOutcomeUnknown() {
    String key = App.freshKey();
    HttpResponse<String> first = app().post("u", "/cut", key, "x");

    assertThat(first.statusCode()).isEqualTo(500);
    assertThat(first.body()).as("Spring's own error").contains("\"error\"");
    assertThat(app().post("u", "/cut", key, "x").body()).contains("outcome-unknown");
  }

  @Test
  void aRefusedBodyFreesTheKeyWhateverItsExceptionWasCausedBy() {
    int before = Application.RUNS.get();
    String key = App.freshKey();

    assertThat(app().post("u", "/refusing", key, "x").statusCode()).isEqualTo(400);
    assertThat(app().post("u", "/refusing", key, "x").statusCode()).isEqualTo(400);
    assertThat(Application.RUNS).hasValue(before + 2);
  }

  /** Handlers of several kinds. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  @Import({OpenSecurity.class, Inner.class})
  @RestController
  static class Application {
    static final AtomicInteger RUNS = new AtomicInteger();

    private final Inner inner;

    Application(Inner inner) {
      this.inner = inner;
    }

    @Idempotent
    @PostMapping(path = "/versioned", version = "1")
    String one() {
      return "one";
    }

    @Idempotent
    @PostMapping(path = "/versioned", version = "2")
    String two() {
      return "two";
    }

    @PostMapping("/configured")
    String configured() {
      return "configured " + RUNS.incrementAndGet();
    }

    @Idempotent
    @PostMapping("/target")
    String target() {
      return "ran " + RUNS.incrementAndGet();
    }

    @PostMapping("/forwarding")
    ModelAndView forwarding() {
      return new ModelAndView("forward:/target");
    }

    @Idempotent
    @GetMapping("/reading")
    String read() {
      return "read";
    }

    @Idempotent
    @PostMapping("/timing-out")
    String timeOut() throws SocketTimeoutException {
      RUNS.incrementAndGet();
      throw new SocketTimeoutException("Read timed out");
    }

    @ExceptionHandler
    ResponseEntity<String> slow(SocketTimeoutException e) {
      return ResponseEntity.status(503).body("the bank is slow");
    }

    @Idempotent
    @PostMapping("/cut")
    String cut() throws TimeoutException {
      throw new TimeoutException("no answer");
    }

    @Idempotent
    @PostMapping("/refusing")
    String refuse() {
      RUNS.incrementAndGet();
      throw new ResponseStatusException(
          HttpStatus.BAD_REQUEST, "not JSON", new IOException("unexpected end"));
    }

    @Idempotent
    @PostMapping("/inner")
    String inner(@RequestBody String body) {
      return inner.once("always the same", body);
    }
  }

  /** A service. */
  @Service
  static class Inner {
    @Idempotent(key = "#key")
    public String once(String key, String body) {
      return "ran for " + body;
    }
  }
}
