// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Addresses are read, refused with what is allowed, and shown without secrets. */
final class StoreUrlTest {

  @Test
  void anAddressIsShownWithoutUserPasswordAndOptions() {
    Map<String, String> shown =
        Map.of(
            "memory:", "memory:",
            "sqlite:store.db", "sqlite:store.db",
            "redis://:s3cret@host:6379/1?timeout=1s", "redis://host:6379/1",
            "rediss-cluster://app:s3cret@a:1,b:2", "rediss-cluster://a:1,b:2",
            "redis-sentinel://s3cret@a:1,b:2/0?x=1#main", "redis-sentinel://a:1,b:2/0#main",
            "jdbc:postgresql://app:s3cret@db:5432/pay?ssl=true", "jdbc:postgresql://db:5432/pay",
            "jdbc:postgresql://db/pay?user=app&password=s3cr@et#x", "jdbc:postgresql://db/pay",
            "jdbc:mariadb://app:s3c:r@et@db/pay", "jdbc:mariadb://db/pay");
    shown.forEach((url, text) -> assertThat(StoreUrl.of(url)).hasToString(text));
  }

  @Test
  void whatIsNoAddressIsToldWhatIsWithoutBeingRepeated() {
    for (String wrong :
        List.of(
            "postgres://app:s3cret@db/pay",
            "jdbc:oracle:app/s3cret@db",
            "s3cret",
            "redis:s3cret")) {
      assertThatThrownBy(() -> StoreUrl.of(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("sqlite:PATH")
          .hasMessageNotContaining("s3cret");
    }
  }

  @Test
  void aPasswordThatEndsTheHostEarlyIsRefused() {
    for (String wrong :
        List.of(
            "redis://app:s3/cret@host",
            "jdbc:mariadb://app:s3?cret@db/pay",
            "redis://:s3#cret@h")) {
      assertThatThrownBy(() -> StoreUrl.of(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("as %2F, %3F, %23 and %40")
          .hasMessageNotContaining("s3");
    }
  }

  @Test
  void aFileNeedsAPlaceToBe() {
    for (String wrong : List.of("sqlite:", "sqlite::memory:", "sqlite:a?mode=ro")) {
      assertThatThrownBy(() -> StoreUrl.of(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("needs the path of a file");
    }
    assertThatThrownBy(() -> StoreUrl.of("sqlite:/not/there/store.db"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the folder /not/there is not there");
  }

  @Test
  void secretsAreTakenOutOfWhatDriversSay() {
    Secrets secrets =
        new Secrets(StoreUrl.of("jdbc:mariadb://app:p%40ss@db/pay?sslPassword=s3cret"));
    RuntimeException failure =
        new IllegalStateException("no", new RuntimeException("p@ss, s3cret"));
    assertThat(secrets.told(failure)).isEqualTo("no (***, ***)");
    assertThat(secrets.cause(failure)).isNull();
    assertThat(secrets.told(new RuntimeException("application apps is down")))
        .isEqualTo("application apps is down");
    RuntimeException harmless = new IllegalStateException("down");
    assertThat(secrets.cause(harmless)).isSameAs(harmless);
  }
}
