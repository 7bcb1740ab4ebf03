// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Draws the calls of one caller: by old and new tokens, with right and wrong fingerprints, for
 * short times that end when the clock is moved and long ones that do not.
 */
final class RandomCalls {
  static final int SHORT = 1;
  static final int LONG = 12;
  private static final List<Release> WAYS = List.of(Release.values());
  private static final TakeOver[] BOUNDS = {
    TakeOver.NONE,
    TakeOver.ALWAYS,
    TakeOver.ALWAYS,
    new TakeOver(2, TakeOver.ALWAYS.within()),
    new TakeOver(Integer.MAX_VALUE, Duration.ofHours(SHORT))
  };

  private final Random random;
  private final String name;
  private final boolean hasSteps;
  private final boolean isResolvable;
  private int drawn;

  RandomCalls(Store store, long seed, String name) {
    this.random = new Random(seed);
    this.name = name;
    this.hasSteps = store.capability(Steps.class).isPresent();
    this.isResolvable = store.capability(Resolvable.class).isPresent();
  }

  boolean isOneIn(int n) {
    return random.nextInt(n) == 0;
  }

  ModelCall next(Episode episode) {
    int kind = random.nextInt(100);
    Optional<Token> token = episode.token(random);
    if (kind < 38 || token.isEmpty()) {
      return claim(token.filter(known -> isOneIn(4)).orElseGet(this::fresh));
    }
    Token owner = token.get();
    if (kind < 43) {
      return new OwnerCall.Complete(owner, outcome(), hours());
    }
    if (kind < 60) {
      return new OwnerCall.ReleaseCall(owner, WAYS.get(random.nextInt(WAYS.size())));
    }
    if (kind < 72) {
      return new OwnerCall.Renew(owner, hours());
    }
    if (kind < 84 && hasSteps) {
      return new OwnerCall.Remember(owner, "step " + random.nextInt(2), bytes());
    }
    if (kind < 93 && isResolvable) {
      return episode.seen(random).map(this::resolve).orElseGet(ReaderCall.Find::new);
    }
    return new ReaderCall.Find();
  }

  private ModelCall claim(Token token) {
    return new ClaimCall(
        isOneIn(8) ? Rules.OTHER_FINGERPRINT : Rules.FINGERPRINT,
        token,
        hours(),
        BOUNDS[random.nextInt(BOUNDS.length)]);
  }

  private ModelCall resolve(Entry seen) {
    int retention = hours();
    Resolution resolution =
        switch (random.nextInt(4)) {
          case 0 -> new Resolution.NotDone();
          case 1 -> new Resolution.Forget();
          default -> new Resolution.Done(outcome(), Duration.ofHours(retention));
        };
    return new ReaderCall.Resolve(seen, fresh(), resolution, retention);
  }

  private Token fresh() {
    return new Token(random.nextLong(), random.nextLong());
  }

  private int hours() {
    return random.nextInt(5) < 2 ? SHORT : LONG;
  }

  private Outcome outcome() {
    return Outcome.of(bytes());
  }

  private Bytes bytes() {
    return Bytes.utf8(name + "." + drawn++);
  }
}
