// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestPathsTest {

  @ParameterizedTest
  @CsvSource({
    "/payments, /payments",
    "/pay%6Dents, /payments",
    "/pay%6dents, /payments",
    "/payments;jsessionid=1, /payments",
    "/a;x/b;y, /a/b",
    "/a/./b, /a/b",
    "/a/../b, /b",
    "/../b, /b",
    "/a/%2e%2E/b, /b",
    "/a/.., /",
    "/a/b/., /a/b/",
    "/a//b, /a//b",
    "/a/, /a/",
    "/a%2fb, /a%2Fb",
    "/a%zz, /a%25zz",
    "/caf\u00e9, /caf%C3%A9",
    "/caf%c3%a9, /caf%C3%A9",
    "/a b, /a%20b",
    "/~me/@x:y, /~me/@x:y",
    "/%7Eme, /~me"
  })
  void aPathHasOneForm(String path, String normalised) {
    assertThat(RequestPaths.normalised(path)).isEqualTo(normalised);
    assertThat(RequestPaths.normalised(normalised)).as("again").isEqualTo(normalised);
  }

  @ParameterizedTest
  @CsvSource({
    "POST /payments, POST, /payments, true",
    "POST /payments, PUT, /payments, false",
    "POST /payments, post, /payments, false",
    "POST /payments, POST, /payments/, false",
    "POST /payments, POST, /pay%6Dents;v=1, true",
    "/payments, DELETE, /payments, true",
    "* /payments, DELETE, /payments, true",
    "POST /orders/{id}/capture, POST, /orders/7/capture, true",
    "POST /orders/{id}/capture, POST, /orders//capture, false",
    "POST /orders/{id}/capture, POST, /orders/7/8/capture, false",
    "POST /orders/{id}, POST, /orders/a%2Fb, true",
    "POST /admin/**, POST, /admin, true",
    "POST /admin/**, POST, /admin/a/b, true",
    "POST /admin/**, POST, /administrator, false",
    "POST /**, POST, /x, true",
    "/caf\u00e9, POST, /caf%c3%a9, true"
  })
  void aRouteMatchesByMethodAndPath(String match, String method, String path, boolean matches) {
    assertThat(RouteTemplate.parse(match).matches(method, RequestPaths.normalised(path)))
        .isEqualTo(matches);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "POST", "payments", "POST payments", "POST /a /b"})
  void whatIsNoRouteIsRefused(String match) {
    assertThatThrownBy(() -> RouteTemplate.parse(match))
        .hasMessageContaining("POST /payments/{id}");
  }
}
