// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.http.testkit.HttpContract;
import io.retrysafe.http.testkit.HttpFixture;
import io.retrysafe.http.testkit.Setup;
import io.retrysafe.store.memory.MemoryStore;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.RequestMapping;

final class SpringMvcContractTest extends HttpContract {
  @Override
  protected HttpFixture fixture() {
    return ContractApplication::start;
  }

  @Override
  protected String adapter() {
    return "Spring MVC";
  }

  @Test
  void everyRouteOfTheContractHasAnAnnotatedHandler() {
    Set<String> annotated = new HashSet<>();
    for (Method method : ContractApplication.Handlers.class.getDeclaredMethods()) {
      if (method.isAnnotationPresent(Idempotent.class)) {
        annotated.addAll(List.of(method.getAnnotation(RequestMapping.class).value()));
      }
    }
    assertThat(annotated).isEqualTo(new Setup(MemoryStore.create(), call -> {}).routes().keySet());
  }
}
