// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.freshKey;
import static io.retrysafe.http.World.post;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That a replay is the same answer. */
final class ReplayTest {
  private static final Header REPLAYED = new Header("Idempotent-Replayed", "true");

  private static Answer replay(HttpPolicy policy, int status, List<Header> headers, Bytes body) {
    try (World world = World.of(policy)) {
      String key = freshKey();
      world.run(post(key), "b").answered(status, headers, body);
      return world.answered(post(key), "b");
    }
  }

  private static List<Header> replayed(Header... headers) {
    List<Header> all =
        new ArrayList<>(replay(HttpPolicy.create(), 200, List.of(headers), Bytes.EMPTY).headers());
    assertThat(all.remove(all.size() - 1)).isEqualTo(REPLAYED);
    return all;
  }

  @Test
  void headersKeepTheirOrderAndNumberAndSpelling() {
    Header[] headers = {
      new Header("Link", "<a>"),
      new Header("ETag", "\"1\""),
      new Header("link", "<b>"),
      new Header("Vary", "Accept"),
      new Header("Vary", "Origin"),
      new Header("X-Empty", ""),
      new Header("Location", "/payments/1")
    };

    assertThat(replayed(headers)).containsExactly(headers);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection",
        "Keep-Alive",
        "Proxy-Authenticate",
        "Proxy-Authorization",
        "Proxy-Connection",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Content-Length",
        "Date",
        "Set-Cookie",
        "Set-Cookie2",
        "WWW-Authenticate",
        "Idempotent-Replayed",
        "Age",
        "Via",
        "X-Request-Id",
        "RateLimit-Remaining",
        "X-RateLimit-Reset",
        "Traceparent"
      })
  void whatBelongsToOneMomentIsNotReplayed(String name) {
    for (String spelled :
        List.of(name, name.toLowerCase(Locale.ROOT), name.toUpperCase(Locale.ROOT))) {
      assertThat(replayed(new Header(spelled, "1"), new Header("X", "1")))
          .containsExactly(new Header("X", "1"));
    }
  }

  @Test
  void whatConnectionNamesIsNotReplayed() {
    assertThat(
            replayed(
                new Header("Connection", "close, X-Hop"),
                new Header("connection", "x-too"),
                new Header("X-Hop", "1"),
                new Header("X-Too", "1"),
                new Header("X-Stays", "1")))
        .containsExactly(new Header("X-Stays", "1"));
  }

  @Test
  void theListOfThoseThatAreNotReplayedCanBeChosen() {
    HttpPolicy policy = HttpPolicy.create().neverStored(List.of("ETag", "X-Secret*"));
    List<Header> headers =
        List.of(
            new Header("etag", "1"),
            new Header("X-Secret-Token", "1"),
            new Header("Age", "1"),
            new Header("Date", "1"));

    assertThat(replay(policy, 200, headers, Bytes.EMPTY).headers())
        .containsExactly(new Header("Age", "1"), REPLAYED);
  }

  @Test
  void theFirstCallerGetsEverything() {
    try (World world = World.create()) {
      List<Header> headers =
          List.of(new Header("Set-Cookie", "a=1"), new Header("Set-Cookie", "b=2"));

      assertThat(world.run(post(freshKey()), "b").answered(200, headers, Bytes.EMPTY).headers())
          .isEqualTo(headers);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 255, 4096})
  void anyBytesComeBackAsTheyWere(int size) {
    long seed = System.nanoTime();
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);

    assertThat(replay(HttpPolicy.create(), 200, List.of(), Bytes.copyOf(bytes)).body())
        .as("seed %d", seed)
        .isEqualTo(Bytes.copyOf(bytes));
  }

  @Test
  void theLengthIsCountedAnewWhereThereIsABody() {
    assertThat(
            replay(
                    HttpPolicy.create(),
                    200,
                    List.of(new Header("Content-Length", "99")),
                    Bytes.utf8("abc"))
                .contentLength())
        .hasValue(3);
    assertThat(replay(HttpPolicy.create(), 204, List.of(), Bytes.EMPTY).contentLength()).isEmpty();
    assertThat(replay(HttpPolicy.create(), 304, List.of(), Bytes.EMPTY).contentLength()).isEmpty();
    assertThat(replay(HttpPolicy.create(), 201, List.of(), Bytes.EMPTY).contentLength())
        .hasValue(0);
  }

  @Test
  void aRedirectIsReplayedWithItsLocation() {
    Header location = new Header("Location", "/payments/1");

    Answer answer = replay(HttpPolicy.create(), 303, List.of(location), Bytes.EMPTY);

    assertThat(answer.status()).isEqualTo(303);
    assertThat(answer.headers()).containsExactly(location, REPLAYED);
  }

  @Test
  void whatCannotBeWrittenAsAHeaderIsLeftOut() {
    Outcome outcome =
        Outcome.of(
            200,
            List.of(
                new Attribute("X", "a\r\nY: b"),
                new Attribute("Bad Name", "1"),
                new Attribute("", "1"),
                new Attribute("Set-Cookie", "1"),
                new Attribute("Good", "1")),
            Bytes.EMPTY);

    assertThat(StoredHeaders.replay(outcome).headers())
        .containsExactly(new Header("Good", "1"), REPLAYED);
  }

  @Test
  void anOutcomeThatIsNoHttpAnswerIsNotReplayedAsOne() {
    try (World world = World.create()) {
      Answers answers = world.planned(post("k")).route().answers();

      Answer answer = answers.replay(Outcome.of(Bytes.utf8("x")));

      assertThat(World.type(answer)).isEqualTo("answer-not-kept");
      assertThat(World.member(answer, "original_status")).isEqualTo("absent");
    }
  }
}
