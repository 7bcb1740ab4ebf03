// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.History;
import io.retrysafe.store.Owner;
import io.retrysafe.store.State;
import io.retrysafe.store.Token;
import io.retrysafe.store.memory.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnicodeTextTest {

  @ParameterizedTest
  @ValueSource(strings = {"", "abc", "naïve ✓", "\ud83d\ude00", "a\ud83d\ude00b\ud83d\ude00"})
  void wellFormedTextIsKeptAsItIs(String text) {
    assertThat(UnicodeText.checkedWithoutNul("a name", text)).isSameAs(text);
    assertThat(UnicodeText.storable(text, 100)).isSameAs(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\ud83d", "\ude00", "a\ud83d", "\ude00\ud83d", "\ud83d\ud83d\ude00"})
  void aLoneSurrogateIsRefusedOrReplaced(String text) {
    assertThatThrownBy(() -> UnicodeText.checked("a name", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a name must be well-formed Unicode")
        .hasMessageContaining("U+D");
    String stored = UnicodeText.storable(text, 100);
    assertThat(stored).hasSameSizeAs(text).contains("\ufffd");
    assertThat(new String(stored.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .isEqualTo(stored);
  }

  @Test
  void nulIsRefusedOrReplaced() {
    assertThatThrownBy(() -> UnicodeText.checkedWithoutNul("a reason", "a\0"))
        .hasMessage("a reason must not contain NUL; character 2 is");
    assertThat(UnicodeText.storable("a\0b", 100)).isEqualTo("a\ufffdb");
    assertThat(UnicodeText.checked("a name", "a\0")).isEqualTo("a\0");
  }

  @Test
  void longTextIsCutBetweenCharactersOrInOneThatIsReplaced() {
    assertThat(UnicodeText.storable("abcdef", 3)).isEqualTo("abc");
    assertThat(UnicodeText.storable("ab\ud83d\ude00", 3)).isEqualTo("ab\ufffd");
  }

  @Test
  void namesAreRefusedWhereTheyEnter() {
    OperationKey key = OperationKey.of(Scope.of("merchant_7", "charge"), "k");
    refused(() -> Scope.of("a\ud800"));
    refused(() -> OperationKey.of(Scope.of("a"), "a\ud800"));
    refused(() -> new Outcome.Attribute("a\ud800", ""));
    refused(() -> new Outcome.Attribute("a", "\udc00"));
    refused(() -> Fingerprint.ofText("a\ud800"));
    refused(
        () ->
            MemoryStore.create()
                .step(new Owner(key, new Token(1, 2)), "charge\ud800", io.retrysafe.Bytes.EMPTY));
    for (String bad : List.of("a\0", "a\ud800")) {
      refused(
          () ->
              new Browsable.Query(
                  Set.of(State.UNKNOWN),
                  Optional.of(bad),
                  Optional.empty(),
                  Optional.empty(),
                  Duration.ZERO,
                  1,
                  Optional.empty()));
    }
  }

  @Test
  void eventsAreMadeStorable() {
    OperationKey key = OperationKey.of(Scope.of("merchant_7"), "k");
    History.Event event =
        new History.Event(
            key,
            "k".repeat(100),
            "b\ud800".repeat(200),
            Instant.EPOCH,
            Instant.EPOCH,
            1,
            "\0".repeat(10_000));

    assertThat(event.kind()).hasSize(64);
    assertThat(event.by()).hasSize(255).startsWith("b\ufffdb");
    assertThat(event.detail()).hasSize(4000).startsWith("\ufffd\ufffd");
  }

  private static void refused(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class);
  }
}
