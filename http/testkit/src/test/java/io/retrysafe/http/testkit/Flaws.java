// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.RequestHead;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.http.settings.ExpiredKeys;
import io.retrysafe.http.settings.FingerprintRule;
import io.retrysafe.http.settings.KeyRule;
import io.retrysafe.http.settings.OnFailure;
import io.retrysafe.http.settings.Statuses;
import io.retrysafe.http.settings.StoreSilent;
import io.retrysafe.http.settings.Unmatched;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The mistakes that an adapter makes in what it passes on. */
final class Flaws {
  private static final Map<String, byte[]> FIRST = new ConcurrentHashMap<>();

  private Flaws() {}

  static HttpGuard guard(@Nullable Flaw flaw, Setup setup, Retrysafe engine) {
    HttpPolicy all = setup.policy();
    if (flaw == Flaw.RUNS_KNOWN_KEYS_WITHOUT_ROUTE) {
      all = all.unmatched(Unmatched.GUARD);
    }
    if (flaw == Flaw.COUNTS_NO_OPERATIONS) {
      all = all.runningPerAccount(1000);
    }
    HttpGuard.Builder builder = HttpGuard.builder(engine).policy(all);
    setup.routes().forEach((match, route) -> builder.route(match, policy(flaw, match, route)));
    return builder.build();
  }

  private static HttpPolicy policy(@Nullable Flaw flaw, String match, HttpPolicy route) {
    if (flaw == null) {
      return route;
    }
    return switch (flaw) {
      case MAKES_NO_NATURAL_KEY -> match.equals("/natural") ? route.key(KeyRule.required()) : route;
      case COMPARES_NUMBERS_AS_DOUBLES ->
          match.equals("/json") ? route.fingerprint(FingerprintRule.pointers("/a")) : route;
      case IGNORES_BROKEN_JSON -> route.fingerprint(FingerprintRule.raw());
      case NEVER_WAITS -> route.wait(Duration.ZERO);
      case RUNS_LAPSED_AGAIN -> route.recovery(Recovery.rerun());
      case KEEPS_REFUSALS -> route.refused(Statuses.none());
      case KEEPS_SUCCESSES_ONLY -> route.failures(OnFailure.SUCCESS_ONLY);
      case KEEPS_ALL_FAILURES, KEEPS_DOUBTFUL_FAILURES -> route.failures(OnFailure.KEEP);
      case KEEPS_TIME_OUTS -> route.unknownOn(thrown -> false);
      case IGNORES_STATUSES_OF_A_ROUTE ->
          route.refused(Statuses.refusedByDefault()).unknown(Statuses.none());
      case KNOWS_ONE_STATUS_ONLY -> route.inProgressStatus(409);
      case RUNS_EXPIRED_KEYS -> route.expiredKeys(ExpiredKeys.RUN);
      case RUNS_WITHOUT_THE_STORE -> route.storeSilent(StoreSilent.OPEN);
      default -> route;
    };
  }

  static RequestHead head(@Nullable Flaw flaw, Connection.Head head) {
    int question = head.target().indexOf('?');
    String path = question < 0 ? head.target() : head.target().substring(0, question);
    String query = question < 0 ? null : head.target().substring(question + 1);
    List<Header> headers = new ArrayList<>(head.headers());
    String account = head.header(Setup.ACCOUNT).orElse(null);
    if (flaw != null) {
      switch (flaw) {
        case TAKES_THE_FIRST_OF_TWO_KEYS -> {
          Optional<Header> first = headers.stream().filter(Flaws::isKey).findFirst();
          headers.removeIf(Flaws::isKey);
          first.ifPresent(headers::add);
        }
        case TRIMS_KEYS_TO_ASCII -> changeKey(headers, "[^ -~]", "");
        case CUTS_LONG_KEYS -> changeKey(headers, "^(.{10}).*$", "$1-cut-" + System.nanoTime());
        case COMPARES_QUOTES -> changeKey(headers, "\"", "q");
        case SHARES_ONE_ACCOUNT -> account = account == null ? null : account.substring(0, 20);
        case INVENTS_AN_ACCOUNT -> account = account == null ? "somebody" : account;
        case IGNORES_THE_PATH -> path = path.startsWith("/refunds/") ? "/refunds/x" : path;
        case IGNORES_THE_QUERY -> query = null;
        case COMPARES_NORMALISED_PATHS -> path = path.replaceFirst(";.*", "");
        default -> {}
      }
    }
    return RequestHead.of(head.method(), path, query, headers, account);
  }

  private static boolean isKey(Header header) {
    return header.is("Idempotency-Key");
  }

  private static void changeKey(List<Header> headers, String regex, String by) {
    headers.replaceAll(h -> isKey(h) ? new Header(h.name(), h.value().replaceAll(regex, by)) : h);
  }

  /** Returns the body that the fingerprint is made from. */
  static RequestBody compared(
      @Nullable Flaw flaw, Connection.Head head, RequestBody body, byte[] bytes) {
    boolean isChunked = head.header("Transfer-Encoding").isPresent();
    if (flaw == Flaw.COUNTS_THE_FRAMING && isChunked) {
      return RequestBody.of(Bytes.utf8(bytes.length + " chunked"));
    }
    if (flaw == Flaw.COUNTS_BOUNDARIES) {
      return RequestBody.of(Bytes.utf8("x" + new String(bytes, StandardCharsets.ISO_8859_1)));
    }
    return body;
  }

  static boolean isKnown(String name) {
    return FIRST.containsKey(name);
  }

  /** Remembers the first body under a name, and returns it. */
  static RequestBody first(String name, byte[] bytes) {
    byte[] first = FIRST.putIfAbsent(name, bytes);
    return RequestBody.of(Bytes.copyOf(first == null ? bytes : first));
  }

  /** Returns the bytes that the handler reads. */
  static byte[] read(@Nullable Flaw flaw, Connection.Head head, byte[] bytes) {
    boolean isForm = head.header("Content-Type").orElse("").contains("urlencoded");
    if (flaw == Flaw.EATS_FORMS && isForm) {
      return new byte[0];
    }
    boolean isCut = flaw == Flaw.CUTS_LARGE_BODIES && bytes.length > Setup.BODY_MEMORY;
    return isCut ? Arrays.copyOf(bytes, Setup.BODY_MEMORY) : bytes;
  }

  /** Returns the headers that are recorded. */
  static List<Header> recorded(@Nullable Flaw flaw, List<Header> headers) {
    List<Header> recorded = new ArrayList<>(headers);
    if (flaw == Flaw.REPLAYS_COOKIES) {
      headers.stream()
          .filter(h -> h.is("Set-Cookie"))
          .forEach(h -> recorded.add(new Header("X-Kept-Cookie", h.value())));
    }
    return recorded;
  }

  /** Returns what is sent instead of a replay or a problem. */
  static Answer replay(@Nullable Flaw flaw, Answer answer) {
    if (flaw == null) {
      return answer;
    }
    boolean isReplay = answer.source() == Answer.Source.REPLAY;
    List<Header> headers = new ArrayList<>(answer.headers());
    int status = answer.status();
    Bytes body = answer.body();
    switch (flaw) {
      case REPLAYS_AS_200 -> status = isReplay ? 200 : status;
      case SENDS_NO_RETRY_AFTER -> headers.removeIf(h -> h.is("Retry-After"));
      case JOINS_HEADER_LINES -> {
        headers.removeIf(h -> h.is("Link"));
        headers.add(new Header("Link", "<a>, <b>, <a>"));
      }
      case REPLAYS_COOKIES ->
          headers.replaceAll(h -> h.is("X-Kept-Cookie") ? new Header("Set-Cookie", h.value()) : h);
      case SENDS_A_BODY_TOO_MUCH -> {
        // A second framing, left from the first answer.
        headers.add(new Header("Content-Length", "1"));
      }
      case DROPS_LOCATION -> headers.removeIf(h -> h.is("Location"));
      default -> {}
    }
    return new Answer(status, headers, body, answer.source());
  }

  /** Records an answer as soon as the handler returns, though it goes on in another thread. */
  static Application early(Application application, Exchange exchange) {
    return call -> {
      application.handle(call);
      exchange.answered(200, List.of(), Bytes.EMPTY);
    };
  }
}
