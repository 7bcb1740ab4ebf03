// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.store.Claim;
import io.retrysafe.store.Entry;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Phase;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testkit.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** How an operation gets its answer. */
abstract class CompletingRules extends Rules {

  CompletingRules(StoreFixture fixture) {
    super(fixture);
  }

  @Rule("C-16")
  void aCompletedEntryIsSettledAndShowsItsOutcome() {
    Claim owner = running();

    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();

    Entry shown = held(second.claim(claim(owner.key())));
    assertThat(shown.phase()).isEqualTo(Phase.SETTLED);
    assertThat(shown.outcome()).contains(OUTCOME);
    assertThat(shown.token()).isEqualTo(owner.token());
    assertThat(shown.attempt()).isEqualTo(1);
    assertThat(entry(owner.key()).outcome()).contains(OUTCOME);
  }

  @Rule("C-17")
  void anOutcomeComesBackAsItWas() {
    assertKept(Outcome.of(Bytes.EMPTY));
    assertKept(Outcome.of(Bytes.wrap(allBytes(1024))));
    assertKept(Outcome.failed(-1, List.of(), Bytes.utf8("\0\r\n'\";--")));
    assertKept(Outcome.of(Integer.MAX_VALUE, List.of(), Bytes.EMPTY));
    assertKept(Outcome.of(200, List.of(), Bytes.utf8("too large")).withoutAnswer());
    assertKept(
        Outcome.of(
            200,
            List.of(
                new Attribute("Set-Cookie", "b=2"),
                new Attribute("Set-Cookie", "a=1"),
                new Attribute("set-cookie", ""),
                new Attribute("naïve ✓", "'\"\\\0")),
            Bytes.utf8("{}")));
  }

  private void assertKept(Outcome outcome) {
    Claim owner = running();
    assertThat(store.complete(owner.owner(), outcome, RETENTION)).isTrue();

    assertThat(entry(owner.key()).outcome()).contains(outcome);
    assertThat(held(store.claim(claim(owner.key()))).outcome()).contains(outcome);
  }

  private static byte[] allBytes(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  @Rule("C-18")
  void anOutcomeOfTheLargestSizeComesBackAsItWas() {
    byte[] random = new byte[roomForABody()];
    new Random(18).nextBytes(random);
    assertComesBack(random);
    // What a store that writes text has to escape.
    for (char each : new char[] {'\0', '\'', '\\', '"'}) {
      byte[] escaped = new byte[random.length];
      Arrays.fill(escaped, (byte) each);
      assertComesBack(escaped);
    }
  }

  private int roomForABody() {
    return store.profile().largestOutcome() - OutcomeFormat.size(Outcome.of(Bytes.EMPTY));
  }

  private void assertComesBack(byte[] body) {
    Outcome outcome = Outcome.of(Bytes.wrap(body));
    assertThat(OutcomeFormat.size(outcome)).isEqualTo(store.profile().largestOutcome());
    Claim owner = running();

    assertThat(store.complete(owner.owner(), outcome, RETENTION)).isTrue();

    assertThat(entry(owner.key()).outcome().orElseThrow().equals(outcome)).isTrue();
  }

  @Rule("C-110")
  void anOutcomeBeyondTheLargestSizeIsRefused() {
    for (int size : new int[] {roomForABody() + 1, 40 * 1024 * 1024}) {
      Outcome outcome = Outcome.of(Bytes.wrap(new byte[size]));
      Claim owner = running();
      Entry before = entry(owner.key());

      assertThatThrownBy(() -> store.complete(owner.owner(), outcome, RETENTION))
          .isInstanceOf(RefusedCallException.class);

      assertUnchanged(before);
      assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();
    }
  }

  @Rule("C-19")
  void theFirstOutcomeStays() {
    Claim owner = settled();
    Entry before = entry(owner.key());

    assertThat(second.complete(owner.owner(), OTHER_OUTCOME, RETENTION.multipliedBy(2))).isTrue();

    assertUnchanged(before);
  }

  @Rule("C-20")
  void aSlowOwnerThatNobodyReplacedCompletes() {
    Claim owner = lapsed();

    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();

    assertThat(entry(owner.key()).outcome()).contains(OUTCOME);
  }

  @Rule("C-21")
  void aLateCompletionIsWelcomeUntilSomebodyTakesOver() {
    for (Release how : new Release[] {Release.RESUMABLE, Release.UNKNOWN}) {
      Claim owner = released(how);

      assertThat(second.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();

      assertThat(entry(owner.key()).outcome()).contains(OUTCOME);
      held(store.claim(claim(owner.key(), TakeOver.ALWAYS)));
    }
  }

  @Rule("C-22")
  void anAbsentEntryCannotBeCompleted() {
    OperationKey never = freshKey();
    Claim freed = released(Release.FREE);

    assertThat(store.complete(new Owner(never, freshToken()), OUTCOME, RETENTION)).isFalse();
    assertThat(store.complete(freed.owner(), OUTCOME, RETENTION)).isFalse();

    assertAbsent(never);
    assertAbsent(freed.key());
  }

  @Rule("C-23")
  void onlyTheOwnerCompletes() {
    Claim owner = running();
    Entry before = entry(owner.key());

    assertThat(store.complete(new Owner(owner.key(), freshToken()), OUTCOME, RETENTION)).isFalse();
    assertUnchanged(before);

    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();
    before = entry(owner.key());
    assertThat(store.complete(new Owner(owner.key(), freshToken()), OTHER_OUTCOME, RETENTION))
        .isFalse();
    assertUnchanged(before);
  }
}
