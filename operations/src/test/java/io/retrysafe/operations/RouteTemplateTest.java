// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which endpoints a route in a query means. */
class RouteTemplateTest {

  private static boolean fits(String route, String endpoint) {
    return OperationQuery.of(Map.of("route", route)).fits(endpoint);
  }

  @Test
  void bracesStandForPartsOfASegment() {
    assertThat(fits("POST /a/{id}", "POST /a/1")).isTrue();
    assertThat(fits("POST /a/{id}", "POST /a/")).isFalse();
    assertThat(fits("POST /a/{id}", "POST /a/1/2")).isFalse();
    assertThat(fits("POST /a/{id}", "PUT /a/1")).isFalse();
    assertThat(fits("POST /a/{id}/b", "POST /a/1/b")).isTrue();
    assertThat(fits("POST /a/{id}/b", "POST /a/1/c")).isFalse();
    assertThat(fits("POST /{a}/{b}", "POST /x/y")).isTrue();
    assertThat(fits("POST /a/x{id}:pay", "POST /a/x7:pay")).isTrue();
    assertThat(fits("POST /a/x{id}:pay", "POST /a/x:pay")).isFalse();
    assertThat(fits("POST /a.{b}", "POST /axc")).isFalse();
    assertThat(fits("POST /(a+)+{b}", "POST /aaaaaaaa")).isFalse();
  }

  @Test
  void aHostileRouteIsRefusedOrDecidedAtOnce() {
    String many = "POST /" + "{a}".repeat(40);
    String path = "POST /" + "a".repeat(4000) + "/";
    long start = System.nanoTime();

    assertThatThrownBy(() -> fits(many, path)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> fits("x".repeat(5000), path))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(fits("POST " + "/{a}".repeat(1000), "POST " + "/a".repeat(1000) + "/")).isFalse();
    assertThat(fits("POST /{a}" + "a".repeat(2000) + "b", path)).isFalse();

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
  }
}
