// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import io.retrysafe.http.testkit.Application;
import io.retrysafe.http.testkit.Instance;
import io.retrysafe.http.testkit.Setup;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.preauth.PreAuthenticatedAuthenticationProvider;
import org.springframework.security.web.authentication.preauth.RequestHeaderAuthenticationFilter;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The contract's application as a real one, with annotated handlers behind Spring Security, which
 * takes the header {@code X-Account} for an authenticated caller.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(ContractApplication.Handlers.class)
class ContractApplication {

  static Instance start(Setup setup) {
    ConfigurableApplicationContext context =
        new SpringApplicationBuilder(ContractApplication.class)
            .initializers(
                added -> {
                  added.getBeanFactory().registerSingleton("store", setup.store());
                  added.getBeanFactory().registerSingleton("application", setup.application());
                })
            .properties(
                "server.port=0",
                "server.address=127.0.0.1",
                "server.tomcat.threads.max=60",
                "server.tomcat.max-part-count=20",
                "spring.main.banner-mode=off",
                "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "spring.web.error.include-message=never",
                "logging.level.root=error",
                "retrysafe.store-deadline=200ms",
                "retrysafe.sweep-every=0s",
                "retrysafe.anonymous=refuse",
                "retrysafe.answer-limit=16KiB",
                "retrysafe.body-limit=256KiB",
                "retrysafe.body-memory=16KiB",
                "retrysafe.running-per-account=12")
            .run();
    WebServerApplicationContext web = (WebServerApplicationContext) context;
    return new Instance() {
      @Override
      public int port() {
        return Objects.requireNonNull(web.getWebServer()).getPort();
      }

      @Override
      public void close() {
        context.close();
      }
    };
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    PreAuthenticatedAuthenticationProvider provider = new PreAuthenticatedAuthenticationProvider();
    provider.setPreAuthenticatedUserDetailsService(
        token -> new User(token.getName(), "", AuthorityUtils.NO_AUTHORITIES));
    RequestHeaderAuthenticationFilter header = new RequestHeaderAuthenticationFilter();
    header.setPrincipalRequestHeader(Setup.ACCOUNT);
    header.setExceptionIfHeaderMissing(false);
    header.setSecurityContextRepository(new RequestAttributeSecurityContextRepository());
    header.setAuthenticationManager(
        caller -> Objects.requireNonNull(provider.authenticate(caller)));
    return http.csrf(AbstractHttpConfigurer::disable)
        .headers(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .sessionManagement(
            session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .addFilter(header)
        .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
        .build();
  }

  /** Otherwise Tomcat asks for every body before it asks any filter. */
  @Bean
  TomcatConnectorCustomizer continueOnRead() {
    return connector -> connector.setProperty("continueResponseTiming", "onRead");
  }

  /** Handlers for the routes of the contract. */
  @RestController
  static class Handlers {
    private final Application application;

    Handlers(Application application) {
      this.application = application;
    }

    @Idempotent
    @RequestMapping({"/payments", "/refunds/{id}"})
    @Nullable Object plain(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @Idempotent(settings = "fingerprint=json")
    @RequestMapping("/json")
    @Nullable Object json(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @Idempotent(settings = "wait=20s")
    @RequestMapping("/waiting")
    @Nullable Object waiting(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @Idempotent(settings = "failures=release")
    @RequestMapping("/released")
    @Nullable Object released(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @Idempotent(settings = "failures=unknown")
    @RequestMapping("/doubtful")
    @Nullable Object doubtful(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @Idempotent(settings = {"refused=404", "unknown=502"})
    @RequestMapping("/statuses")
    @Nullable Object statuses(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @Idempotent(settings = "key.from=/order/id")
    @RequestMapping("/natural")
    @Nullable Object natural(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @Idempotent(settings = {"in-progress-status=425", "key-reused-status=400"})
    @RequestMapping("/early")
    @Nullable Object early(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @Idempotent(settings = "expired-keys=refuse")
    @RequestMapping("/dated")
    @Nullable Object dated(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }

    @RequestMapping("/{*any}")
    @Nullable Object unguarded(HttpServletRequest request, HttpServletResponse response)
        throws Exception {
      return new MvcCall(request, response).run(application);
    }
  }
}
