// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.abort;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.testkit.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A group of rules, with what all groups say: entries in each state, and what must hold of them.
 *
 * <p>Times are hours, so that neither a slow server nor the skew a store allows for can be mistaken
 * for the end of a lease: tests stay {@link #MARGIN} away from it.
 */
abstract class Rules {
  static final Duration LEASE = Duration.ofHours(1);
  static final Duration RETENTION = Duration.ofHours(10);
  static final Duration MARGIN = Duration.ofMinutes(5);
  static final Fingerprint FINGERPRINT = Fingerprint.ofText("charge", "100 EUR");
  static final Fingerprint OTHER_FINGERPRINT = Fingerprint.ofText("charge", "101 EUR");
  static final Outcome OUTCOME =
      Outcome.of(
          201, List.of(new Outcome.Attribute("Location", "/charges/1")), Bytes.utf8("charged"));
  static final Outcome OTHER_OUTCOME = Outcome.failed(500, List.of(), Bytes.utf8("no"));

  final StoreFixture fixture;
  final Store store;
  final Store second;
  final Scope scope = Scope.of("merchant-" + UUID.randomUUID(), "POST", "/charges");

  Rules(StoreFixture fixture) {
    this.fixture = fixture;
    this.store = fixture.store();
    this.second = fixture.secondClient();
  }

  OperationKey freshKey() {
    return OperationKey.of(scope, UUID.randomUUID().toString());
  }

  static Token freshToken() {
    return Token.of(UUID.randomUUID());
  }

  /** Returns a claim by a new token that may take nothing over. */
  static Claim claim(OperationKey key) {
    return claim(key, TakeOver.NONE);
  }

  static Claim claim(OperationKey key, TakeOver takeOver) {
    return new Claim(key, FINGERPRINT, freshToken(), LEASE, takeOver);
  }

  static Claim withFingerprint(Claim claim, Fingerprint fingerprint) {
    return new Claim(claim.key(), fingerprint, claim.token(), claim.lease(), claim.takeOver());
  }

  /** Claims with success. */
  Granted grant(Claim claim) {
    return granted(store.claim(claim));
  }

  static Granted granted(ClaimResult result) {
    assertThat(result).isInstanceOf(Granted.class);
    return (Granted) result;
  }

  static Entry held(ClaimResult result) {
    assertThat(result).isInstanceOf(Held.class);
    return ((Held) result).entry();
  }

  /** Returns the claim of an entry whose lease stands. */
  Claim running() {
    Claim claim = claim(freshKey());
    grant(claim);
    return claim;
  }

  /** Returns the claim of an entry whose lease is over. */
  Claim lapsed() {
    Claim claim = running();
    fixture.advance(LEASE.plus(MARGIN));
    return claim;
  }

  /** Returns the claim of an entry that its owner released. */
  Claim released(LeaveAs how) {
    Claim claim = running();
    assertThat(store.release(claim.owner(), how)).isTrue();
    return claim;
  }

  /** Returns the claim of a settled entry. */
  Claim settled() {
    Claim claim = running();
    assertThat(store.complete(claim.owner(), OUTCOME, RETENTION)).isTrue();
    return claim;
  }

  /** Claims an entry that is lapsed, unknown or resumable, and returns that claim. */
  Claim takeOver(OperationKey key) {
    Claim claim = claim(key, TakeOver.ALWAYS);
    granted(second.claim(claim));
    return claim;
  }

  static boolean renews(Store store, Owner owner, Duration lease) {
    return store.renew(Set.of(owner), lease).contains(owner);
  }

  /** Returns the entry, as the second client sees it. */
  Entry entry(OperationKey key) {
    assertThat(second.find(key)).as("the entry").isPresent();
    return second.find(key).orElseThrow();
  }

  void assertAbsent(OperationKey key) {
    assertThat(store.find(key)).isEmpty();
    assertThat(second.find(key)).isEmpty();
  }

  /** The entry is as it was, up to what a store may round its times by. */
  void assertUnchanged(Entry before) {
    Entry now = entry(before.key());
    assertThat(now).usingRecursiveComparison().ignoringFields("times").isEqualTo(before);
    assertClose(now.times().createdAt(), before.times().createdAt());
    assertClose(now.times().leaseUntil(), before.times().leaseUntil());
    assertClose(now.times().expiresAt(), before.times().expiresAt());
  }

  static void assertClose(Instant actual, Instant expected) {
    assertThat(actual).isCloseTo(expected, within(1, ChronoUnit.MINUTES));
  }

  /** Returns a capability of the store, or ends the test as not offered. */
  static <T> T offered(Store store, Class<T> capability) {
    return store
        .capability(capability)
        .orElseGet(() -> abort(Verdict.NOT_OFFERED + ": no " + capability.getSimpleName()));
  }
}
