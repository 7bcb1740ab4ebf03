// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Operation;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.testkit.Instance;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.EnumSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The manual's code runs. */
final class ManualTest {

  /** Compiled only: servers register filters each in their own way. */
  static void register(ServletContext servletContext, Store store) {
    // snippet:register
    Retrysafe engine = Retrysafe.create(store);
    HttpGuard guard =
        HttpGuard.builder(engine).route("POST /payments", HttpPolicy.create()).build();
    FilterRegistration.Dynamic filter =
        servletContext.addFilter("retrysafe", RetrysafeFilter.create(guard));
    filter.setAsyncSupported(true);
    filter.addMappingForUrlPatterns(
        EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC), true, "/*");
    // end
  }

  private static final class Payments extends HttpServlet {
    private static final long serialVersionUID = 1L;

    // snippet:handler
    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      Operation operation =
          RetrysafeFilter.exchange(request).flatMap(e -> e.operation()).orElseThrow();
      String providerKey = operation.downstreamKey("charge"); // the same in every attempt
      response.setStatus(HttpServletResponse.SC_CREATED);
      response.getWriter().print("charged under " + providerKey);
    }
    // end
  }

  @Test
  void theHandlerOfTheManualHasAKeyForItsProvider() throws Exception {
    Retrysafe engine = Retrysafe.create(MemoryStore.create());
    HttpGuard guard =
        HttpGuard.builder(engine).route("POST /payments", HttpPolicy.create()).build();
    RetrysafeFilter filter = RetrysafeFilter.builder(guard).account(request -> "a").build();
    try (Instance instance = new TomcatInstance(engine, filter, new Payments())) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + instance.port() + "/payments"))
              .header("Idempotency-Key", UUID.randomUUID().toString())
              .POST(HttpRequest.BodyPublishers.ofString("100 EUR"))
              .build();
      HttpClient client = HttpClient.newHttpClient();

      String first = client.send(request, BodyHandlers.ofString()).body();

      assertThat(first).startsWith("charged under ");
      assertThat(client.send(request, BodyHandlers.ofString()).body()).isEqualTo(first);
    }
  }
}
