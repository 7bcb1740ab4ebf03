// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.State;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** The operations in the store: a list, and one of them. Never a body or a header of an answer. */
@Endpoint(id = "retrysafe")
final class OperationsEndpoint {
  private static final int PAGE = 50;

  private final Store store;

  OperationsEndpoint(Store store) {
    this.store = store;
  }

  /**
   * A page of operations.
   *
   * @param operations those that were asked for
   * @param next the cursor of the next page, where there is one
   */
  record Operations(List<Shown> operations, @Nullable String next) {}

  /**
   * An operation as it is shown.
   *
   * @param id what it is asked for by
   */
  record Shown(
      String id,
      String account,
      String endpoint,
      String key,
      String state,
      int attempt,
      Instant createdAt,
      Instant leaseUntil,
      Instant expiresAt,
      @Nullable Integer status) {}

  /** An operation and what happened to it. */
  record WithHistory(Shown operation, List<Happened> history) {}

  /** Something that happened to an operation. */
  record Happened(String what, String by, Instant at, int count, String detail) {}

  @ReadOperation
  Operations operations(
      @Nullable String state,
      @Nullable String account,
      @Nullable String endpoint,
      @Nullable String key,
      @Nullable Integer limit,
      @Nullable String cursor) {
    if (!(store instanceof Browsable browsable)) {
      throw new InvalidEndpointRequestException(
          "the store " + store.profile().name() + " cannot list operations",
          "the store cannot list operations");
    }
    Browsable.Query query =
        new Browsable.Query(
            states(state),
            Optional.ofNullable(account),
            Optional.ofNullable(endpoint),
            Optional.ofNullable(key),
            Duration.ZERO,
            limit == null ? PAGE : limit,
            Optional.ofNullable(cursor));
    Browsable.Page page = browsable.browse(query);
    return new Operations(
        page.entries().stream().map(OperationsEndpoint::shown).toList(), page.next().orElse(null));
  }

  @ReadOperation
  @Nullable WithHistory operation(@Selector String id) {
    OperationKey key;
    try {
      key = OperationKey.ofBytes(Base64.getUrlDecoder().decode(id));
    } catch (IllegalArgumentException e) {
      throw new InvalidEndpointRequestException("not an id of an operation", "not an id", e);
    }
    return store.find(key).map(entry -> new WithHistory(shown(entry), history(key))).orElse(null);
  }

  private List<Happened> history(OperationKey key) {
    return store instanceof History history
        ? history.history(key).stream()
            .map(e -> new Happened(e.kind(), e.by(), e.first(), e.count(), e.detail()))
            .toList()
        : List.of();
  }

  private static Set<State> states(@Nullable String state) {
    if (state == null) {
      return Set.of(State.values());
    }
    return Arrays.stream(state.split(",", -1))
        .map(word -> word.strip().toUpperCase(Locale.ROOT).replace('-', '_'))
        .map(OperationsEndpoint::state)
        .collect(Collectors.toSet());
  }

  private static State state(String word) {
    return Arrays.stream(State.values())
        .filter(each -> each.name().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidEndpointRequestException(
                    "there is no state " + word.toLowerCase(Locale.ROOT),
                    "state must be of " + Arrays.toString(State.values())));
  }

  private static Shown shown(Entry entry) {
    return new Shown(
        Base64.getUrlEncoder().withoutPadding().encodeToString(entry.key().toBytes()),
        entry.key().scope().account(),
        entry.key().scope().endpoint(),
        entry.key().value(),
        entry.state().toString(),
        entry.attempt(),
        entry.times().createdAt(),
        entry.times().leaseUntil(),
        entry.times().expiresAt(),
        entry.outcome().map(outcome -> outcome.status()).orElse(null));
  }
}
