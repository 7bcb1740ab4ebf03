// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class BytesTest {

  @Test
  void equalContentIsEqual() {
    Bytes one = Bytes.copyOf(new byte[] {1, 2, 3});

    assertThat(one).isEqualTo(Bytes.wrap(new byte[] {1, 2, 3}));
    assertThat(one).hasSameHashCodeAs(Bytes.wrap(new byte[] {1, 2, 3}));
    assertThat(one).isNotEqualTo(Bytes.wrap(new byte[] {1, 2}));
    assertThat(Bytes.copyOf(new byte[0])).isSameAs(Bytes.EMPTY);
    assertThat(Bytes.EMPTY.isEmpty()).isTrue();
    assertThat(one.isEmpty()).isFalse();
    assertThat(one.size()).isEqualTo(3);
  }

  @Test
  void aCopyDoesNotChangeWithItsSourceOrItsReader() {
    byte[] source = {1, 2, 3};
    Bytes bytes = Bytes.copyOf(source);

    source[0] = 9;
    bytes.toArray()[1] = 9;

    assertThat(bytes.toArray()).containsExactly(1, 2, 3);
  }

  @Test
  void textGoesThroughUtf8() {
    assertThat(Bytes.utf8("é✓").size()).isEqualTo(5);
    assertThat(Bytes.utf8("é✓").toUtf8()).isEqualTo("é✓");
    assertThat(Bytes.wrap(new byte[] {(byte) 0xff}).toUtf8()).isEqualTo("\uFFFD");
  }

  @Test
  void allBytesAreWritten() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    Bytes.utf8("answer").writeTo(out);

    assertThat(out.toByteArray()).asString().isEqualTo("answer");
  }

  @Test
  void theContentStaysOutOfLogs() {
    assertThat(Bytes.utf8("secret")).hasToString("6 bytes");
  }
}
