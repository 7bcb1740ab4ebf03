// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.Retrysafe;
import io.retrysafe.operations.AuditQuery;
import io.retrysafe.operations.ChangeRequest;
import io.retrysafe.operations.Listing;
import io.retrysafe.operations.OperationId;
import io.retrysafe.operations.OperationQuery;
import io.retrysafe.operations.OperationSummary;
import io.retrysafe.operations.Operations;
import io.retrysafe.operations.Result;
import io.retrysafe.operations.UnreadableOperation;
import io.retrysafe.operations.Verdict;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.url.OpenStore;
import io.retrysafe.store.url.StoreUrl;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;

/** Runs commands on a store that is opened for one command. */
final class StoreClient implements OperationsClient {
  private static final int SWEPT = 100_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final OpenStore store;
  private final Retrysafe engine;
  private final Operations operations;

  private StoreClient(OpenStore store) {
    this.store = store;
    this.engine =
        Retrysafe.builder(store.store())
            .name("cli-" + ProcessHandle.current().pid())
            .storeDeadline(TIMEOUT)
            .sweepEvery(Duration.ZERO)
            .history(false)
            .build();
    this.operations = Operations.create(store.store(), engine);
  }

  static StoreClient open(StoreUrl url) {
    if (url.file().filter(file -> !Files.exists(file)).isPresent()) {
      throw new IllegalStateException("the file " + url.file().orElseThrow() + " is missing");
    }
    try {
      return new StoreClient(
          OpenStore.builder(url).timeout(TIMEOUT).startWithin(Duration.ofSeconds(5)).build());
    } catch (NoAnswerException e) {
      throw new NoAnswerException(told(url, e), null);
    } catch (IllegalStateException e) {
      throw new IllegalStateException(told(url, e), null);
    }
  }

  private static String told(StoreUrl url, Exception failure) {
    String message = url.masked(String.valueOf(failure.getMessage()));
    return message.contains(url.toString()) ? message : url + ": " + message;
  }

  @Override
  public Result list(Map<String, String> query) {
    return operations.list(OperationQuery.of(query));
  }

  @Override
  public Found find(Map<String, String> query) {
    Listing listing = operations.list(OperationQuery.of(query));
    return new Found(
        listing.operations().stream().map(OperationSummary::toMap).toList(),
        listing.unreadable().stream().map(UnreadableOperation::problem).toList(),
        listing.next());
  }

  @Override
  public Result explain(Map<String, String> query) {
    return operations.explain(OperationQuery.of(query));
  }

  @Override
  public Result show(String id) {
    return operations.show(OperationId.of(id));
  }

  @Override
  public Result answer(String id) {
    return operations.answer(OperationId.of(id));
  }

  @Override
  public Result resolve(String id, Verdict verdict, ChangeRequest request) {
    return operations.resolve(OperationId.of(id), verdict, request);
  }

  @Override
  public Result forget(String id, ChangeRequest request) {
    return operations.forget(OperationId.of(id), request);
  }

  @Override
  public Result audit(Map<String, String> query) {
    return operations.audit(AuditQuery.of(query));
  }

  @Override
  public Result stats() {
    return operations.stats();
  }

  @Override
  public Result sweep() {
    return operations.sweep(SWEPT);
  }

  @Override
  public void close() {
    // Writes an audit record that a silent store has not taken yet.
    engine.close();
    store.close();
  }
}
