// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.http.servlet.ReplayAuthorizer;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A recorded answer is only for those who could still ask for it. */
@ExtendWith(OutputCaptureExtension.class)
final class SecurityTest {

  @BeforeEach
  @AfterEach
  void nobodyIsShutOut() {
    Application.REVOKED.clear();
    Application.NO_CLERKS.clear();
    Application.RUNS.set(0);
  }

  private static App start(Class<?> application) {
    return App.start(
        application,
        "retrysafe.store=memory",
        "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
  }

  @Test
  void aRevokedCallerGets401AlsoOnAReplay() {
    try (App app = start(Application.class)) {
      String key = App.freshKey();
      assertThat(app.post("anna", "/payments", key, "x").statusCode()).isEqualTo(200);
      assertThat(App.isReplay(app.post("anna", "/payments", key, "x"))).isTrue();

      Application.REVOKED.add("anna");
      HttpResponse<String> response = app.post("anna", "/payments", key, "x");

      assertThat(response.statusCode()).isEqualTo(401);
      assertThat(response.body()).doesNotContain("paid");
    }
  }

  @Test
  void aCallerWithoutTheRoleGets403AlsoOnAReplay() {
    try (App app = start(Application.class)) {
      String key = App.freshKey();
      assertThat(app.post("bert", "/payments", key, "x").statusCode()).isEqualTo(200);

      Application.NO_CLERKS.add("bert");
      HttpResponse<String> response = app.post("bert", "/payments", key, "x");

      assertThat(response.statusCode()).isEqualTo(403);
      assertThat(response.body()).doesNotContain("paid");
    }
  }

  @Test
  void anothersKeyIsNotAnsweredFromMine() {
    try (App app = start(Application.class)) {
      String key = App.freshKey();
      HttpResponse<String> annas = app.post("anna", "/payments", key, "x");
      HttpResponse<String> berts = app.post("bert", "/payments", key, "x");

      assertThat(App.isReplay(berts)).isFalse();
      assertThat(berts.body()).isNotEqualTo(annas.body());
      assertThat(Application.RUNS).hasValue(2);
    }
  }

  @Test
  void methodSecurityIsNotAskedOnAReplayAndAWarningSaysSo(CapturedOutput output) {
    try (App app = start(Application.class)) {
      String key = App.freshKey();
      assertThat(app.post("anna", "/approved", key, "x").statusCode()).isEqualTo(200);
      Application.NO_CLERKS.add("anna");

      String denied = App.freshKey();
      assertThat(app.post("anna", "/approved", denied, "x").statusCode()).isEqualTo(403);
      assertThat(App.isReplay(app.post("anna", "/approved", key, "x"))).isTrue();
      assertThat(output)
          .contains("is not asked on a replay")
          .contains(Application.class.getName() + ".approved")
          .doesNotContain(Application.class.getName() + ".pay,");
      Application.NO_CLERKS.clear();
      assertThat(app.post("anna", "/approved", denied, "x").statusCode())
          .as("the key is free again")
          .isEqualTo(200);
    }
  }

  @Test
  void aReplayAuthorizerIsAskedBeforeEveryReplay(CapturedOutput output) {
    try (App app = start(Asking.class)) {
      String key = App.freshKey();
      assertThat(app.post("anna", "/approved", key, "x").statusCode()).isEqualTo(200);
      Application.NO_CLERKS.add("anna");

      HttpResponse<String> refused = app.post("anna", "/approved", key, "x");
      HttpResponse<String> thrown = app.post("bert", "/approved", key, "x");
      HttpResponse<String> thrownAgain = app.post("bert", "/approved", key, "x");

      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).contains("replay-refused").doesNotContain("paid");
      assertThat(thrown.statusCode()).isEqualTo(200);
      assertThat(thrownAgain.statusCode()).isEqualTo(403);
      assertThat(thrownAgain.body()).doesNotContain("paid");
      assertThat(output).doesNotContain("is not asked on a replay");
    }
  }

  /** An application with users who can be shut out. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  @EnableMethodSecurity
  @RestController
  static class Application {
    static final Set<String> REVOKED = ConcurrentHashMap.newKeySet();
    static final Set<String> NO_CLERKS = ConcurrentHashMap.newKeySet();
    static final AtomicInteger RUNS = new AtomicInteger();

    @Idempotent
    @PostMapping("/payments")
    String pay() {
      return "paid " + RUNS.incrementAndGet();
    }

    @Idempotent
    @PreAuthorize("hasRole('CLERK')")
    @PostMapping("/approved")
    String approved() {
      return "paid " + RUNS.incrementAndGet();
    }

    @Bean
    UserDetailsService users() {
      return name ->
          User.withUsername(name)
              .password("{noop}secret")
              .disabled(REVOKED.contains(name))
              .roles(NO_CLERKS.contains(name) ? "GUEST" : "CLERK")
              .build();
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.csrf(AbstractHttpConfigurer::disable)
          .httpBasic(Customizer.withDefaults())
          .authorizeHttpRequests(
              requests ->
                  requests
                      .requestMatchers("/payments")
                      .hasRole("CLERK")
                      .anyRequest()
                      .authenticated())
          .build();
    }
  }

  /** The same with somebody to ask. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  @RestController
  static class Asking extends Application {
    @Bean
    ReplayAuthorizer replayAuthorizer() {
      return (request, replay) -> {
        if ("bert".equals(request.getRemoteUser())) {
          throw new AccessDeniedException("not bert");
        }
        return !NO_CLERKS.contains(request.getRemoteUser());
      };
    }
  }
}
