// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Mode;
import io.retrysafe.gateway.internal.wire.Refusal;
import io.retrysafe.gateway.internal.wire.RequestRules;
import io.retrysafe.gateway.internal.wire.ResponseWriter;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides what happens to a request: the gateway refuses, passes, observes or guards it. */
final class RequestRouter {
  private static final String REFUSED = "refused requests";

  private final RequestContext request;
  private final HttpServerRequest in;

  RequestRouter(RequestContext request) {
    this.request = request;
    this.in = request.in();
  }

  void route() {
    RouteTable routes = request.routes();
    Refusal refusal = RequestRules.refusal(in, routes.fieldRules().ownFields());
    if (refusal != null) {
      request.sendLast(refusal.answer());
      return;
    }
    Optional<Answer> misspelt = routes.guard().misspelt(in.method().name());
    if (misspelt.isPresent()) {
      request.metrics().route(REFUSED).answered(misspelt.get());
      request.sendLast(misspelt.get());
      return;
    }
    String origin = RequestRules.origin(in);
    RouteTarget target = routes.target(in.method().name(), RequestRules.path(origin));
    String spoofed = spoofed(routes.config());
    if (spoofed != null && routes.config().mode() == Mode.ENFORCE) {
      notAuthenticated(target, spoofed);
      return;
    }
    // Requests that pass in any case need no account: the upstream may refuse them.
    if (target.route() == null || HttpGuard.alwaysPasses(in.method().name())) {
      new PassingCall(request, target, null).start();
      return;
    }
    AccountResolver account = request.account();
    if (account == null) {
      noSecret(target, target.route());
      return;
    }
    List<Header> headers = headers();
    Plan plan;
    String credential;
    try {
      plan = routes.guard().plan(head(origin, headers, account.account(headers)), target.route());
      credential = target.authorize() == null ? account.credential(headers) : null;
    } catch (AccountResolver.NotAuthenticatedException e) {
      notAuthenticated(target, String.valueOf(e.getMessage()));
      return;
    }
    if (routes.config().mode() == Mode.OBSERVE) {
      ObservedCall.start(request, target, plan);
    } else if (plan instanceof Plan.Refused refused) {
      refused(target, refused.answer());
    } else if (plan instanceof Plan.ReadBody readBody) {
      Plan.ReadBody proven = credential == null ? readBody : readBody.credential(credential);
      new GuardedCall(request, target, proven).start();
    } else {
      new PassingCall(request, target, null).start();
    }
  }

  /**
   * Returns why a request may not send an account header; null if it may, or sends none. An
   * upstream may read {@code _} in a header name as {@code -}, so the gateway never forwards a
   * second spelling.
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
          return "The header " + name + " must not be sent in another spelling.";
        }
        if (config.isAccountHeaderGuarded() && !config.trustedProxies().isPeer(in)) {
          return "The header " + name + " may be sent only by trusted proxies.";
        }
      }
    }
    return null;
  }

  /** Answers a request that exceeds a limit, without looking at it. */
  void tooMany(String whose) {
    Answer answer =
        request.problem(
            ProblemType.TOO_MANY_OPERATIONS,
            "Too many requests " + whose + " are under way. Try again later.");
    request.metrics().route(REFUSED).answered(answer);
    request.sendLast(answer);
  }

  private void noSecret(RouteTarget target, Route route) {
    boolean isOpen = route.policy().get(Settings.named("store-silent")) == StoreSilent.OPEN;
    if (isOpen || request.config().mode() == Mode.OBSERVE) {
      new PassingCall(request, target, null).start();
      return;
    }
    String detail = "The store does not answer. Nothing ran; send the same request again.";
    refused(target, request.problem(ProblemType.STORE_UNAVAILABLE, detail));
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
        in.method().name(),
        RequestRules.path(origin),
        RequestRules.query(origin),
        headers,
        account);
  }

  private void notAuthenticated(RouteTarget target, String detail) {
    if (request.config().mode() == Mode.OBSERVE) {
      new PassingCall(request, target, null).start();
      return;
    }
    Answer problem = request.problem(ProblemType.ACCOUNT_REFUSED, detail);
    List<Header> headers = new ArrayList<>(problem.headers());
    headers.add(new Header("WWW-Authenticate", request.config().account().challenge()));
    refused(
        target,
        new Answer(problem.status(), headers, problem.body(), problem.source(), problem.problem()));
  }

  /** Answers without reading the body. A client that expects 100-continue need not send it. */
  private void refused(RouteTarget target, Answer answer) {
    target.counters().answered(answer);
    if (in.headers().contains("Expect")) {
      request.sendLast(answer);
      return;
    }
    BodyDeadline.watch(request);
    ResponseWriter.send(in, answer);
  }
}
