// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Contended;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.testkit.StoreFixture.Contention;
import io.retrysafe.testkit.Rule;
import io.retrysafe.testkit.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Which keys are the same, and what a key that is being decided answers. */
abstract class KeyRules extends Rules {
  /** Much less than stores take for themselves. */
  private static final Duration DEADLINE = Duration.ofMillis(200);

  private static final Duration LATEST = Duration.ofMillis(900);
  private static final int TRIES = 3;

  KeyRules(StoreFixture fixture) {
    super(fixture);
  }

  @Rule("C-13")
  void keysThatDifferInAnythingAreDifferent() {
    List<OperationKey> keys = new ArrayList<>();
    String unique = freshKey().value();
    for (char c = ' '; c <= '~'; c++) {
      keys.add(OperationKey.of(scope, unique + c + "."));
    }
    String longest = "k".repeat(OperationKey.LONGEST - 1);
    keys.add(OperationKey.of(scope, longest + "a"));
    keys.add(OperationKey.of(scope, longest + "b"));
    keys.add(OperationKey.of(scope, longest));
    String account = scope.account();
    keys.add(OperationKey.of(Scope.of(account), unique));
    keys.add(OperationKey.of(Scope.of(account, "a", "bc"), unique));
    keys.add(OperationKey.of(Scope.of(account, "ab", "c"), unique));
    keys.add(OperationKey.of(Scope.of(account, "ab c"), unique));
    keys.add(OperationKey.of(Scope.of(account, "AB", "c"), unique));
    keys.add(OperationKey.of(Scope.of(account, "e\u0301"), unique));
    keys.add(OperationKey.of(Scope.of(account, "\u00e9"), unique));
    keys.add(OperationKey.of(Scope.of(account, "\uD83D\uDE00 '\";-- {x} %00 *?[a]"), unique));
    keys.add(OperationKey.of(Scope.of(account + "x".repeat(4096 - account.length())), unique));
    List<Claim> claims = keys.stream().map(Rules::claim).toList();

    claims.forEach(this::grant);

    for (Claim claim : claims) {
      assertThat(entry(claim.key()).token()).isEqualTo(claim.token());
      assertThat(entry(claim.key()).key()).isEqualTo(claim.key());
    }
  }

  @Rule("C-14")
  void fingerprintsOfAnyBytesAreComparedAsAWhole() {
    Random random = new Random(14);
    for (int size : new int[] {0, 1, 31, 32, 64}) {
      byte[] digest = new byte[size];
      random.nextBytes(digest);
      Fingerprint fingerprint = new Fingerprint("recipe-1", Bytes.copyOf(digest));
      Claim owner = withFingerprint(claim(freshKey()), fingerprint);
      grant(owner);

      assertThat(entry(owner.key()).fingerprint()).isEqualTo(fingerprint);
      assertThat(store.release(owner.owner(), LeaveAs.RESUMABLE)).isTrue();
      Claim heir = claim(owner.key());
      held(second.claim(withFingerprint(heir, new Fingerprint("recipe-2", fingerprint.digest()))));
      if (size > 0) {
        digest[size - 1] ^= 1;
        Fingerprint other = new Fingerprint("recipe-1", Bytes.wrap(digest));
        held(second.claim(withFingerprint(heir, other)));
      }
      granted(second.claim(withFingerprint(heir, fingerprint)));
    }
  }

  @Rule("C-15")
  void aContendedKeyIsNeitherGrantedNorShown() {
    Claim onAbsent = claim(freshKey());
    whileContended(onAbsent.key(), () -> assertUndecided(onAbsent));
    granted(Crowd.patiently(() -> store.claim(onAbsent)));

    Claim onLapsed = claim(lapsed().key(), TakeOver.ALWAYS);
    whileContended(onLapsed.key(), () -> assertUndecided(onLapsed));
    granted(Crowd.patiently(() -> store.claim(onLapsed)));
  }

  @Rule("C-109")
  void aCallEndsAtTheDeadlineOfItsCaller() {
    Claim owner = running();
    whileContended(
        owner.key(),
        () -> {
          Duration shortest = timeToComplete(owner);
          // A busy machine may be late, but not each time.
          for (int i = 1; i < TRIES && shortest.compareTo(LATEST) > 0; i++) {
            Duration time = timeToComplete(owner);
            shortest = time.compareTo(shortest) < 0 ? time : shortest;
          }
          assertThat(shortest).isLessThan(LATEST);
        });
  }

  private Duration timeToComplete(Claim owner) {
    long start = System.nanoTime();
    try {
      CallDeadline.within(
          DEADLINE, System::nanoTime, () -> store.complete(owner.owner(), OUTCOME, RETENTION));
      fail("an entry was completed that an open transaction holds");
    } catch (NoAnswerException expected) {
      // There is none to be had.
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private void whileContended(OperationKey key, Runnable check) {
    Optional<Contention> open = fixture.contend(key);
    if (open.isEmpty()) {
      abort(Verdict.NOT_APPLICABLE + ": no open transaction can decide a key");
    }
    try {
      check.run();
    } finally {
      open.ifPresent(Contention::close);
    }
  }

  private void assertUndecided(Claim claim) {
    try {
      ClaimResult result = store.claim(claim);
      if (!(result instanceof Contended)) {
        fail("a contended key was answered with " + result);
      }
    } catch (NoAnswerException expected) {
      assertThat(expected).hasMessageNotContaining(claim.key().value());
    }
  }
}
