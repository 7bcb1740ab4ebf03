// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.freshKey;
import static io.retrysafe.http.World.member;
import static io.retrysafe.http.World.post;
import static io.retrysafe.http.World.type;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.http.settings.OnFailure;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is recorded of a handler that runs in a transaction, and what its caller gets. */
final class HandlerTransactionTest {
  private static final HttpPolicy RELEASING = HttpPolicy.create().failures(OnFailure.RELEASE);
  private static final Bytes BODY = Bytes.utf8("charged");

  private final List<String> said = new ArrayList<>();

  /** A transaction on the world's store. */
  private final class Transaction implements HandlerTransaction {
    private final World world;
    private final RuntimeException failure;
    private final boolean fails;

    Transaction(World world) {
      this(world, new IllegalStateException(), false);
    }

    Transaction(World world, RuntimeException failure) {
      this(world, failure, true);
    }

    private Transaction(World world, RuntimeException failure, boolean fails) {
      this.world = world;
      this.failure = failure;
      this.fails = fails;
    }

    @Override
    public boolean settle(Owner owner, Outcome outcome, Duration retention) {
      if (fails) {
        throw failure;
      }
      boolean isOwners = world.store.complete(owner, outcome, retention);
      said.add(isOwners ? "committed" : "refused");
      return isOwners;
    }

    @Override
    public void rollBack() {
      said.add("rolled back");
    }
  }

  private Exchange joined(World world, String key, Transaction transaction) {
    Exchange exchange = world.run(post(key), "b");
    exchange.join(transaction);
    return exchange;
  }

  @Test
  void aSuccessIsCommittedWithItsAnswer() {
    try (World world = World.of(RELEASING)) {
      String key = freshKey();
      Exchange exchange = joined(world, key, new Transaction(world));

      Answer answer = exchange.answered(201, List.of(), BODY);

      assertThat(answer.status()).isEqualTo(201);
      assertThat(said).containsExactly("committed");
      assertThat(world.answered(post(key), "b").body()).isEqualTo(BODY);
    }
  }

  @Test
  void whatIsNotASuccessIsRolledBackAndTheKeyIsFree() {
    try (World world = World.of(RELEASING)) {
      String key = freshKey();
      Exchange refused = joined(world, key, new Transaction(world));
      assertThat(refused.answered(422, List.of(), BODY).status()).isEqualTo(422);
      Exchange failed = joined(world, key, new Transaction(world));
      assertThat(failed.failed(new IllegalStateException()).status()).isEqualTo(500);

      assertThat(said).containsExactly("rolled back", "rolled back");
      assertThat(world.begin(post(key), "b")).isInstanceOf(BeginResult.Run.class);
    }
  }

  @Test
  void aTimeOutIsRolledBackAndTheKeyIsFree() {
    for (OnFailure failures : List.of(OnFailure.RELEASE, OnFailure.UNKNOWN)) {
      said.clear();
      try (World world = World.of(HttpPolicy.create().failures(failures))) {
        String key = freshKey();
        Exchange failed = joined(world, key, new Transaction(world));
        assertThat(failed.failed(new SocketTimeoutException()).status()).isEqualTo(500);

        assertThat(said).containsExactly("rolled back");
        assertThat(world.begin(post(key), "b")).isInstanceOf(BeginResult.Run.class);
      }
    }
  }

  @Test
  void aSuccessThatCouldNotBeCommittedIsNotShown() {
    try (World world = World.of(RELEASING)) {
      String key = freshKey();
      Transaction doomed = new Transaction(world, new IllegalStateException("rollback-only"));

      Answer answer = joined(world, key, doomed).answered(201, List.of(), BODY);

      assertThat(answer.status()).isEqualTo(500);
      assertThat(type(answer)).isEqualTo("operation-failed");
      assertThat(member(answer, "retryable")).isEqualTo("true");
      assertThat(world.begin(post(key), "b")).isInstanceOf(BeginResult.Run.class);
    }
  }

  @Test
  void anErrorThatCouldNotBeCommittedIsShownAndTheKeyIsFree() {
    try (World world = World.of(RELEASING)) {
      String key = freshKey();
      Transaction doomed = new Transaction(world, new IllegalStateException("rollback-only"));

      Answer answer = joined(world, key, doomed).answered(404, List.of(), BODY);

      assertThat(answer.status()).isEqualTo(404);
      assertThat(world.begin(post(key), "b")).isInstanceOf(BeginResult.Run.class);
    }
  }

  @Test
  void aCommitThatNobodyKnowsOfIsNotShownAndNotRunAgainYet() {
    try (World world = World.of(RELEASING)) {
      String key = freshKey();
      Transaction doubtful = new Transaction(world, new NoAnswerException("cut", null));

      Answer answer = joined(world, key, doubtful).answered(201, List.of(), BODY);

      assertThat(type(answer)).isEqualTo("store-unavailable");
      assertThat(member(answer, "work_ran")).isEqualTo("true");
      assertThat(type(world.answered(post(key), "b"))).isEqualTo("in-progress");
    }
  }
}
