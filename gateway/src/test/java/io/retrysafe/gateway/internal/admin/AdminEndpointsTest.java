// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Retrysafe;
import io.retrysafe.gateway.AdminDocument;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.operations.Operations;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Store;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The admin API has the endpoints that its document names. */
class AdminEndpointsTest {
  private final AdminDocument document = AdminDocument.read();

  @Test
  void theDocumentNamesEveryEndpointAndNoOther() {
    Set<String> written = new TreeSet<>();
    document.operations().forEach(each -> written.add(each.name() + " " + each.role()));
    Set<String> there = new TreeSet<>();
    Store store = MemoryStore.builder().build();
    try (Retrysafe engine = Retrysafe.create(store)) {
      Operations operations = Operations.builder(store, engine).build();
      for (AdminEndpoint each :
          new AdminEndpoints(new UnusedControl(), new Metrics(), operations).all()) {
        String access = each.access().name().toLowerCase(Locale.ROOT);
        there.add(each.method() + " " + each.path() + " " + access);
      }
    }
    assertThat(written).isEqualTo(there);
    assertThat(Map.copyOf(document.operations().get(0).responses())).isNotEmpty();
  }
}
