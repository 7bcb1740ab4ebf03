// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.http.body.BodyMemory;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.http.internal.json.MalformedJsonException;
import io.retrysafe.http.internal.syntax.RequestPaths;
import io.retrysafe.http.settings.FingerprintRule;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class FingerprintTest {
  private static final Header TEXT = new Header("Content-Type", "text/plain");
  private static final Header FORM =
      new Header("Content-Type", "application/x-www-form-urlencoded");

  private static Fingerprint of(
      FingerprintRule rule,
      String method,
      String path,
      @Nullable String query,
      String body,
      Header... headers) {
    return of(rule, List.of(), method, path, query, body, headers);
  }

  private static Fingerprint of(
      FingerprintRule rule,
      List<String> names,
      String method,
      String path,
      @Nullable String query,
      String body,
      Header... headers) {
    RequestHead head = RequestHead.of(method, path, query, List.of(headers), "a");
    try {
      return new Fingerprints(rule, names)
          .of(head, RequestBody.of(Bytes.utf8(body)), BodyMemory.of(Long.MAX_VALUE));
    } catch (MalformedJsonException | java.io.IOException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static Fingerprint raw(String body, Header... headers) {
    return of(FingerprintRule.raw(), "POST", "/p", null, body, headers);
  }

  private static Fingerprint json(String body) {
    return of(FingerprintRule.json(), "POST", "/p", null, body, JSON);
  }

  private static Fingerprint pointers(String body, String... pointers) {
    return of(FingerprintRule.pointers(pointers), "POST", "/p", null, body, JSON);
  }

  @Test
  void equalRequestsHaveEqualFingerprints() {
    assertThat(raw("b", TEXT))
        .isEqualTo(raw("b", TEXT))
        .extracting(Fingerprint::recipe)
        .isEqualTo("raw-2");
    assertThat(raw("b", TEXT).digest().size()).isEqualTo(32);
  }

  @Test
  void everyPartCounts() {
    FingerprintRule raw = FingerprintRule.raw();
    List<Fingerprint> all =
        List.of(
            of(raw, "POST", "/p", null, "b", TEXT),
            of(raw, "PATCH", "/p", null, "b", TEXT),
            of(raw, "POST", "/q", null, "b", TEXT),
            of(raw, "POST", "/p", "", "b", TEXT),
            of(raw, "POST", "/p", "x=1", "b", TEXT),
            of(raw, "POST", "/p", "x=2", "b", TEXT),
            of(raw, "POST", "/p", null, "b "),
            of(raw, "POST", "/p", null, "", TEXT),
            of(raw, "POST", "/p", null, "b"),
            of(raw, "POST", "/p", null, "b", FORM),
            of(raw, "POST", "/p", null, "b", TEXT, new Header("Content-Encoding", "gzip")));

    assertThat(all).doesNotHaveDuplicates();
  }

  @Test
  void partsCannotRunIntoEachOther() {
    FingerprintRule raw = FingerprintRule.raw();

    assertThat(of(raw, "POST", "/p", "ab", "c")).isNotEqualTo(of(raw, "POST", "/p", "a", "bc"));
    assertThat(of(raw, "POST", "/pa", null, "b")).isNotEqualTo(of(raw, "POST", "/p", "a", "b"));
  }

  @Test
  void otherHeadersDoNotCount() {
    assertThat(raw("b", TEXT, new Header("Traceparent", "1")))
        .isEqualTo(raw("b", new Header("Traceparent", "2"), TEXT));
  }

  @Test
  void chosenHeadersCountInOrderAndNumber() {
    List<String> names = List.of("X-Currency", "X-Region");
    FingerprintRule raw = FingerprintRule.raw();
    List<Fingerprint> all =
        List.of(
            of(raw, names, "POST", "/p", null, "b"),
            of(raw, names, "POST", "/p", null, "b", new Header("x-currency", "EUR")),
            of(raw, names, "POST", "/p", null, "b", new Header("x-region", "EUR")),
            of(raw, names, "POST", "/p", null, "b", new Header("x-currency", "")),
            of(
                raw,
                names,
                "POST",
                "/p",
                null,
                "b",
                new Header("x-currency", "EUR"),
                new Header("x-currency", "USD")),
            of(
                raw,
                names,
                "POST",
                "/p",
                null,
                "b",
                new Header("x-currency", "USD"),
                new Header("x-currency", "EUR")));

    assertThat(all).doesNotHaveDuplicates();
    assertThat(all.get(1))
        .isEqualTo(
            of(
                raw,
                List.of("x-region", "X-CURRENCY"),
                "POST",
                "/p",
                null,
                "b",
                new Header("X-Currency", "EUR")));
  }

  @Test
  void otherChoicesAreOtherRecipes() {
    FingerprintRule raw = FingerprintRule.raw();
    List<String> recipes =
        List.of(
            of(raw, List.of(), "POST", "/p", null, "1", JSON).recipe(),
            of(raw, List.of("A"), "POST", "/p", null, "1", JSON).recipe(),
            of(raw, List.of("B"), "POST", "/p", null, "1", JSON).recipe(),
            json("1").recipe(),
            pointers("1", "/a").recipe(),
            pointers("1", "/a", "/b").recipe(),
            Fingerprint.NONE.recipe());

    assertThat(recipes).doesNotHaveDuplicates();
    assertThat(pointers("1", "/b", "/a")).isEqualTo(pointers("1", "/a", "/b"));
  }

  @Test
  void jsonCountsByItsMembers() {
    assertThat(json("{\"a\":1,\"b\":[1,2]}"))
        .isEqualTo(json("{ \"b\": [1, 2], \"a\": 1 }"))
        .isNotEqualTo(json("{\"a\":1,\"b\":[2,1]}"))
        .isNotEqualTo(json("{\"a\":1.0,\"b\":[1,2]}"));
    assertThat(json("{\"amount\":9007199254740993}"))
        .isNotEqualTo(json("{\"amount\":9007199254740992}"));
    assertThat(json("{}").recipe()).isEqualTo("json-2");
  }

  @Test
  void jsonIsJsonByAnyOfItsNames() {
    FingerprintRule json = FingerprintRule.json();
    assertThat(
            of(
                json,
                "POST",
                "/p",
                null,
                "{ }",
                new Header("Content-Type", "application/JSON; charset=utf-8")))
        .isEqualTo(json("{}"));
    assertThat(
            of(
                json,
                "POST",
                "/p",
                null,
                "{ }",
                new Header("Content-Type", "application/merge-patch+json")))
        .isEqualTo(json("{}"));
  }

  @Test
  void otherBodiesCountByTheirBytesUnderAJsonRule() {
    FingerprintRule json = FingerprintRule.json();

    assertThat(of(json, "POST", "/p", null, "{ }", TEXT)).isEqualTo(raw("{ }", TEXT));
    assertThat(of(json, "POST", "/p", null, "", JSON)).isEqualTo(raw("", JSON));
    assertThat(
            of(json, "POST", "/p", null, "{ }", JSON, new Header("Content-Encoding", "gzip"))
                .recipe())
        .isEqualTo("raw-2");
  }

  @Test
  void aBodyThatIsNotTheJsonItClaimsToBeIsRefused() {
    assertThatThrownBy(() -> json("{\"a\":1,\"a\":2}")).hasMessageContaining("twice");
    assertThatThrownBy(() -> pointers("{", "/a")).hasMessageContaining("at byte 2");
  }

  @Test
  void onlyChosenPlacesCount() {
    assertThat(pointers("{\"amount\":1,\"note\":\"x\"}", "/amount"))
        .isEqualTo(pointers("{\"note\":\"y\",\"amount\":1}", "/amount"))
        .isNotEqualTo(pointers("{\"amount\":2}", "/amount"))
        .isNotEqualTo(pointers("{\"amount\":\"1\"}", "/amount"));
    assertThat(pointers("{}", "/amount")).isNotEqualTo(pointers("{\"amount\":null}", "/amount"));
    assertThat(pointers("{\"a\":1}", "/a", "/b")).isNotEqualTo(pointers("{\"b\":1}", "/a", "/b"));
  }

  @Test
  void noneComparesTheTargetOnly() {
    FingerprintRule none = FingerprintRule.none();

    assertThat(of(none, "POST", "/p", null, "b", TEXT))
        .isEqualTo(of(none, "POST", "/p", null, "c", JSON))
        .isNotEqualTo(of(none, "POST", "/p", "x=1", "b", TEXT))
        .isNotEqualTo(of(none, "POST", "/p;to=bob", null, "b", TEXT));
  }

  @Test
  void theTargetCountsAsItWasSentUnderEveryRule() {
    List<String> spellings = List.of("/a/p", "/a/p;to=bob", "/a;x/p", "/a/./p", "/a/%70", "/a/p;");
    for (FingerprintRule rule :
        List.of(
            FingerprintRule.raw(),
            FingerprintRule.json(),
            FingerprintRule.pointers("/a"),
            FingerprintRule.none())) {
      assertThat(spellings.stream().map(path -> of(rule, "POST", path, null, "{}", JSON)))
          .as("%s", rule)
          .doesNotHaveDuplicates();
    }
    assertThat(spellings.stream().map(RequestPaths::normalised)).containsOnly("/a/p");
  }

  private static Fingerprint form(String boundary, String body) {
    return raw(
        body.replace("B!", boundary),
        new Header("Content-Type", "multipart/form-data; boundary=" + boundary));
  }

  private static final String PARTS =
      String.join(
          "\r\n",
          "--B!",
          "Content-Disposition: form-data; name=\"a\"",
          "",
          "1",
          "--B!",
          "Content-Disposition: form-data; name=\"f\"; filename=\"x\"",
          "",
          "\r",
          "-",
          "--",
          "--B",
          "--B!--",
          "");

  @Test
  void theBoundaryOfAFormDoesNotCountButEverythingElse() {
    Fingerprint form = form("abc", PARTS);

    assertThat(form("xyz-123", PARTS)).isEqualTo(form);
    assertThat(form("abc", PARTS.replace("\r\n1\r\n", "\r\n2\r\n"))).isNotEqualTo(form);
    assertThat(form("abc", PARTS.replace("\"a\"", "\"b\""))).isNotEqualTo(form);
    assertThat(form("abc", PARTS.replace("\r\r\n-", "\r\n-"))).isNotEqualTo(form);
    assertThat(form("abc", PARTS + "epilogue")).isNotEqualTo(form);
    assertThat(form("abc", "preamble\r\n" + PARTS)).isNotEqualTo(form);
  }

  @Test
  void aFormThatIsNotClosedCountsByItsBytes() {
    String cut = PARTS.substring(0, 30);

    assertThat(form("abc", cut)).isEqualTo(form("abc", cut)).isNotEqualTo(form("xyz", cut));
  }

  @Test
  void oneMovedBoundaryIsAnotherForm() {
    String one = "--B!\r\n\r\nab\r\n--B!\r\n\r\nc\r\n--B!--";
    String other = "--B!\r\n\r\na\r\n--B!\r\n\r\nbc\r\n--B!--";

    assertThat(form("abc", one)).isNotEqualTo(form("abc", other));
  }
}
