// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.History;
import io.retrysafe.store.Immediate;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Metered;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Standing;
import io.retrysafe.store.State;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Wakeups;
import io.retrysafe.testkit.Rule;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** What a store says it can do besides, and the queue that some have. */
abstract class CapabilityRules extends Rules {
  private static final List<Class<?>> ALL =
      List.of(
          Browsable.class,
          History.class,
          Immediate.class,
          Metered.class,
          Queued.class,
          Resolvable.class,
          Secrets.class,
          Steps.class,
          Sweepable.class,
          Wakeups.class);

  private final ExecutorService blocking = Executors.newCachedThreadPool();

  CapabilityRules(StoreFixture fixture) {
    super(fixture);
  }

  @AfterEach
  void stop() {
    blocking.shutdown();
  }

  @Rule("C-112")
  void theCapabilitiesOfAStoreDoNotChange() {
    List<Class<?>> first = capabilities(store);

    assertThat(capabilities(store)).isEqualTo(first);
    assertThat(capabilities(second)).isEqualTo(first);
  }

  private static List<Class<?>> capabilities(Store store) {
    return ALL.stream().filter(type -> store.capability(type).isPresent()).toList();
  }

  @Rule("C-113")
  void theQueueClaimsAndCompletesTheEntriesOfTheStore() throws Exception {
    Queued queue = offered(store, Queued.class);
    Claim claim = claim(freshKey());

    granted(answer(queue.claim(claim, blocking)));
    assertThat(held(second.claim(claim(claim.key()))).token()).isEqualTo(claim.token());
    assertThat(held(answer(queue.claim(claim(claim.key()), blocking))).token())
        .isEqualTo(claim.token());
    assertThat(answer(queue.complete(claim(claim.key()).owner(), OUTCOME, RETENTION, blocking)))
        .isFalse();
    assertThat(entry(claim.key()).state()).isEqualTo(State.IN_PROGRESS);

    assertThat(answer(queue.complete(claim.owner(), OUTCOME, RETENTION, blocking))).isTrue();
    assertThat(answer(queue.complete(claim.owner(), OTHER_OUTCOME, RETENTION, blocking))).isTrue();
    assertThat(entry(claim.key()).outcome()).contains(OUTCOME);
  }

  @Rule("C-114")
  void theQueueReleasesTheEntriesOfTheStore() throws Exception {
    Queued queue = offered(store, Queued.class);
    Claim freed = running();
    assertThat(answer(queue.release(claim(freed.key()).owner(), LeaveAs.FREE, blocking))).isFalse();
    assertThat(entry(freed.key()).standing()).isEqualTo(Standing.RUNNING);
    assertThat(answer(queue.release(freed.owner(), LeaveAs.FREE, blocking))).isTrue();
    assertThat(answer(queue.release(freed.owner(), LeaveAs.FREE, blocking))).isTrue();
    assertAbsent(freed.key());

    Claim resumable = running();
    assertThat(answer(queue.release(resumable.owner(), LeaveAs.RESUMABLE, blocking))).isTrue();
    assertThat(entry(resumable.key()).state()).isEqualTo(State.RESUMABLE);

    Claim unknown = running();
    assertThat(answer(queue.release(unknown.owner(), LeaveAs.UNKNOWN, blocking))).isTrue();
    assertThat(entry(unknown.key()).state()).isEqualTo(State.UNKNOWN);
  }

  private static <T> T answer(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
