// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.retrysafe.Bytes;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Header;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.Plan;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.RequestHead;
import io.retrysafe.http.Route;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.http.settings.StoreSilent;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where a request comes in: it is refused, passes, is observed or is guarded. */
final class Front {
  private static final String REFUSED = "refused requests";

  private static final Strictness.Refusal FAILED =
      new Strictness.Refusal(
          500,
          "This gateway failed to serve the request; its log says why. Send the same request again,"
              + " with the same key.");

  private final Loop loop;
  private final Line line;
  private final HttpServerRequest in;

  Front(Loop loop, Line line, HttpServerRequest in) {
    this.loop = loop;
    this.line = line;
    this.in = in;
  }

  /** Answers what could not be parsed. Whatever follows on the connection cannot be trusted. */
  static void invalid(HttpServerRequest in) {
    Throwable cause = in.decoderResult().cause();
    int status =
        cause instanceof TooLongHttpLineException
            ? 414
            : cause instanceof TooLongHttpHeaderException ? 431 : 400;
    Sending.sendLast(in, answer(new Strictness.Refusal(status, "The request is not well-formed.")));
  }

  /** Answers a request that the gateway itself failed to serve, as far as that is possible. */
  static void failed(Loop loop, HttpServerRequest in) {
    HttpServerResponse response = in.response();
    if (response.ended() || response.closed()) {
      return;
    }
    if (response.headWritten()) {
      Sending.cut(in);
      return;
    }
    response.headers().clear();
    response.setChunked(false);
    loop.sendLast(in, answer(FAILED));
  }

  static Answer answer(Strictness.Refusal refusal) {
    List<Header> headers = List.of(new Header("Content-Type", "text/plain"));
    Bytes body = Bytes.utf8(refusal.detail() + "\n");
    return new Answer(refusal.status(), headers, body, Answer.Source.PROBLEM);
  }

  void handle() {
    Strictness.Refusal refusal = Strictness.refusal(in, line.site().fieldRules().ownFields());
    if (refusal != null) {
      loop.sendLast(in, answer(refusal));
      return;
    }
    Site site = line.site();
    Optional<Answer> misspelt = site.guard().misspelt(in.method().name());
    if (misspelt.isPresent()) {
      loop.gateway().metrics().route(REFUSED).answered(misspelt.get());
      loop.sendLast(in, misspelt.get());
      return;
    }
    String origin = Strictness.origin(in);
    Target target = site.target(in.method().name(), Strictness.path(origin));
    String spoofed = spoofed(site.config());
    if (spoofed != null && site.config().mode() == Mode.ENFORCE) {
      notAuthenticated(target, spoofed);
      return;
    }
    // What passes in any case is the upstream's to refuse, whoever calls.
    if (target.route() == null || HttpGuard.alwaysPasses(in.method().name())) {
      new Passing(loop, line, target, in, null).start();
      return;
    }
    AccountResolver account = account(site.config());
    if (account == null) {
      noSecret(target, target.route());
      return;
    }
    List<Header> headers = headers();
    Plan plan;
    String credential;
    try {
      plan = site.guard().plan(head(origin, headers, account.account(headers)), target.route());
      credential = target.authorize() == null ? account.credential(headers) : null;
    } catch (AccountResolver.NotAuthenticatedException e) {
      notAuthenticated(target, String.valueOf(e.getMessage()));
      return;
    }
    if (site.config().mode() == Mode.OBSERVE) {
      Observed.start(loop, line, target, in, plan);
    } else if (plan instanceof Plan.Refused refused) {
      refused(target, refused.answer());
    } else if (plan instanceof Plan.ReadBody readBody) {
      Plan.ReadBody proven = credential == null ? readBody : readBody.credential(credential);
      new GuardedCall(loop, line, target, in, proven).start();
    } else {
      new Passing(loop, line, target, in, null).start();
    }
  }

  /**
   * Returns why a request may not name its account; null if it may, or names none. An upstream may
   * read {@code _} in a header's name as {@code -}, so that a second spelling is never forwarded.
   */
  private @Nullable String spoofed(GatewayConfig config) {
    for (String name : config.account().trustedHeaders()) {
      for (Map.Entry<String, String> header : in.headers()) {
        String sent = header.getKey();
        if (sent.length() != name.length()
            || !sent.replace('_', '-').equalsIgnoreCase(name.replace('_', '-'))) {
          continue;
        }
        if (!sent.equalsIgnoreCase(name)) {
          return "The header " + name + " must not come in another spelling.";
        }
        if (config.isAccountHeaderGuarded() && !config.trustedProxies().isPeer(in)) {
          return "The header " + name + " may be sent by trusted proxies only.";
        }
      }
    }
    return null;
  }

  /** Answers a request that is one too many: it is not even looked at. */
  void tooMany(String whose) {
    Answer answer =
        line.site()
            .guard()
            .problem(
                ProblemType.TOO_MANY_OPERATIONS,
                "Too many requests " + whose + " are under way. Try again later.");
    loop.gateway().metrics().route(REFUSED).answered(answer);
    loop.sendLast(in, answer);
  }

  /** Returns who can tell the account; null while the store does not give the secret for it. */
  private @Nullable AccountResolver account(GatewayConfig config) {
    AccountResolver account = config.account();
    if (!account.needsSecret()) {
      return account;
    }
    ServerSecret secret = loop.gateway().secret();
    return secret == null ? null : account.with(secret);
  }

  private void noSecret(Target target, Route route) {
    boolean isOpen = route.policy().get(Settings.named("store-silent")) == StoreSilent.OPEN;
    if (isOpen || line.site().config().mode() == Mode.OBSERVE) {
      new Passing(loop, line, target, in, null).start();
      return;
    }
    String detail = "The store does not answer. Nothing ran; send the same request again.";
    refused(target, line.site().guard().problem(ProblemType.STORE_UNAVAILABLE, detail));
  }

  private List<Header> headers() {
    List<Header> headers = new ArrayList<>();
    for (Map.Entry<String, String> header : in.headers()) {
      headers.add(new Header(header.getKey(), header.getValue()));
    }
    return headers;
  }

  private RequestHead head(String origin, List<Header> headers, @Nullable String account) {
    return RequestHead.of(
        in.method().name(), Strictness.path(origin), Strictness.query(origin), headers, account);
  }

  private void notAuthenticated(Target target, String detail) {
    if (line.site().config().mode() == Mode.OBSERVE) {
      new Passing(loop, line, target, in, null).start();
      return;
    }
    Answer problem = line.site().guard().problem(ProblemType.ACCOUNT_REFUSED, detail);
    List<Header> headers = new ArrayList<>(problem.headers());
    headers.add(new Header("WWW-Authenticate", line.site().config().account().challenge()));
    refused(
        target,
        new Answer(problem.status(), headers, problem.body(), problem.source(), problem.problem()));
  }

  /** Answers without the body. A client that waits to be asked for it would send it in vain. */
  private void refused(Target target, Answer answer) {
    target.counters().answered(answer);
    if (in.headers().contains("Expect")) {
      loop.sendLast(in, answer);
      return;
    }
    BodyDeadline.watch(loop, in, line.site().config().limits().bodyTimeout());
    Sending.send(in, answer);
  }
}
