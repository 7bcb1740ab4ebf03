// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.actuator;

import io.retrysafe.Retrysafe;
import io.retrysafe.operations.OperationId;
import io.retrysafe.operations.OperationQuery;
import io.retrysafe.operations.Operations;
import io.retrysafe.operations.RefusedException;
import io.retrysafe.store.Store;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The operations in the store, as the gateway's admin API shows them: a list, and one of them with
 * its timeline. Never a body or a header of an answer.
 */
@Endpoint(id = "retrysafe")
final class OperationsEndpoint {
  private final Operations operations;

  OperationsEndpoint(Store store, Retrysafe engine) {
    this.operations = Operations.create(store, engine);
  }

  @ReadOperation
  Map<String, Object> operations(
      @Nullable String state,
      @Nullable String account,
      @Nullable String route,
      @Nullable String key,
      @Nullable String older,
      @Nullable String limit,
      @Nullable String cursor) {
    Map<String, String> query = new HashMap<>();
    put(query, "state", state);
    put(query, "account", account);
    put(query, "route", route);
    put(query, "key", key);
    put(query, "older", older);
    put(query, "limit", limit);
    put(query, "cursor", cursor);
    try {
      return operations.list(OperationQuery.of(query)).toMap();
    } catch (IllegalArgumentException | RefusedException e) {
      throw invalid(e);
    }
  }

  @ReadOperation
  @Nullable Map<String, Object> operation(@Selector String id) {
    if (!OperationId.isOne(id)) {
      throw new InvalidEndpointRequestException("not an id of an operation", "not an id");
    }
    try {
      return operations.show(OperationId.of(id)).toMap();
    } catch (RefusedException e) {
      if (e.reason() == RefusedException.Reason.NOT_FOUND) {
        return null;
      }
      throw invalid(e);
    }
  }

  private static void put(Map<String, String> query, String name, @Nullable String value) {
    if (value != null) {
      query.put(name, value);
    }
  }

  private static InvalidEndpointRequestException invalid(RuntimeException e) {
    String why = String.valueOf(e.getMessage());
    return new InvalidEndpointRequestException(why, why, e);
  }
}
