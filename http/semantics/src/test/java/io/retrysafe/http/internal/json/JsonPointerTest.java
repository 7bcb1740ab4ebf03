// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.http.body.BodyMemory;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonPointerTest {
  /** The document of RFC 6901, section 5. */
  private static final byte[] DOCUMENT =
      ("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
              + "\"k\\\"l\":6,\" \":7,\"m~n\":8}")
          .getBytes(StandardCharsets.UTF_8);

  private static byte @Nullable [] find(String pointer) throws Exception {
    return CanonicalJson.tokens(
            new ByteArrayInputStream(DOCUMENT),
            List.of(JsonPointer.parse(pointer)),
            BodyMemory.of(Long.MAX_VALUE))
        .get(0);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "/foo, `[\"bar\",\"baz\"]`",
        "/foo/0, \"bar\"",
        "/, 0",
        "/a~1b, 1",
        "/c%d, 2",
        "/e^f, 3",
        "/g|h, 4",
        "/i\\j, 5",
        "/k\"l, 6",
        "`/ `, 7",
        "/m~0n, 8"
      })
  void thePublishedExamplesAreFound(String pointer, String canonical) throws Exception {
    assertThat(find(pointer)).asString(StandardCharsets.UTF_8).isEqualTo(canonical);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/x", "/foo/0/0", "/foo/-1"})
  void nothingIsFoundWhereNothingIs(String pointer) throws Exception {
    assertThat(find(pointer)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"foo", "/a~", "/a~2", "#/foo"})
  void whatIsNoPointerIsRefused(String pointer) {
    assertThatThrownBy(() -> JsonPointer.parse(pointer))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(pointer);
  }
}
