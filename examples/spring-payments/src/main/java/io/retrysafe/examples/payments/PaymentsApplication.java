// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.payments;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** A payments API on a SQLite file or PostgreSQL. See its README for what to try. */
@SpringBootApplication(proxyBeanMethods = false)
public final class PaymentsApplication {

  public static void main(String[] args) {
    SpringApplication.run(PaymentsApplication.class, args);
  }

  @Bean
  UserDetailsService merchants() {
    return new InMemoryUserDetailsManager(
        User.withUsername("merchant_7").password("{noop}secret").build(),
        User.withUsername("merchant_8").password("{noop}secret").build());
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http.csrf(AbstractHttpConfigurer::disable)
        .httpBasic(Customizer.withDefaults())
        .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .build();
  }
}
