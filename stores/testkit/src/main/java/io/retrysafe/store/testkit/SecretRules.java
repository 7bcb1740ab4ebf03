// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Sweepable;
import io.retrysafe.testkit.Rule;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What all processes on a store share. */
abstract class SecretRules extends Rules {
  private static final int ROUNDS = 20;
  private static final int CALLERS = 8;

  private final Secrets secrets;
  private final Secrets others;

  SecretRules(StoreFixture fixture) {
    super(fixture);
    this.secrets = offered(store, Secrets.class);
    this.others = offered(second, Secrets.class);
  }

  private static String freshName() {
    return "test-" + UUID.randomUUID();
  }

  private static Bytes allBytes(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) i;
    }
    return Bytes.wrap(bytes);
  }

  @Rule("C-102")
  void theFirstValueUnderANameIsKeptAndToldToEverybody() {
    String name = freshName();
    Bytes first = allBytes(Secrets.LARGEST);

    assertThat(secrets.keep(name, first)).isEqualTo(first);
    assertThat(others.keep(name, Bytes.utf8("other"))).isEqualTo(first);
    assertThat(secrets.keep(name, Bytes.utf8("another"))).isEqualTo(first);
    assertThat(others.keep(freshName(), Bytes.utf8("other"))).isEqualTo(Bytes.utf8("other"));
    assertThatThrownBy(() -> secrets.keep(freshName(), allBytes(Secrets.LARGEST + 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> secrets.keep("Not A Name", first))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Rule("C-103")
  void ofValuesThatComeAtOnceOneIsKeptAndToldToAll() {
    try (Crowd crowd = new Crowd(CALLERS)) {
      for (int round = 0; round < ROUNDS; round++) {
        String name = freshName();
        List<Bytes> told = crowd.call(i -> Crowd.patiently(() -> keep(name, i)));

        assertThat(Set.copyOf(told)).containsExactly(others.keep(name, Bytes.utf8("late")));
      }
    }
  }

  private Bytes keep(String name, int caller) {
    Secrets client = caller % 2 == 0 ? secrets : others;
    return client.keep(name, Bytes.utf8("value " + caller));
  }

  @Rule("C-104")
  void whatIsKeptNeitherExpiresNorIsSwept() {
    String name = freshName();
    Bytes first = allBytes(32);
    secrets.keep(name, first);

    fixture.advance(store.profile().unsettledRetention().plus(RETENTION).plusDays(1));
    store.capability(Sweepable.class).ifPresent(sweepable -> sweepable.sweep(Integer.MAX_VALUE));

    assertThat(others.keep(name, Bytes.utf8("other"))).isEqualTo(first);
  }
}
