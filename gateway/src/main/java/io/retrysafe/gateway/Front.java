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
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where a request comes in: it is refused, passes, is observed or is guarded. */
final class Front {
  private static final String REFUSED = "refused requests";

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

  private static Answer answer(Strictness.Refusal refusal) {
    List<Header> headers = List.of(new Header("Content-Type", "text/plain"));
    Bytes body = Bytes.utf8(refusal.detail() + "\n");
    return new Answer(refusal.status(), headers, body, Answer.Source.PROBLEM);
  }

  void handle() {
    Strictness.Refusal refusal = Strictness.refusal(in);
    if (refusal != null) {
      loop.sendLast(in, answer(refusal));
      return;
    }
    String origin = Strictness.origin(in);
    Site site = line.site();
    Target target = site.target(in.method().name(), Strictness.path(origin));
    // What passes in any case is the upstream's to refuse, whoever calls.
    if (target.route() == null || HttpGuard.alwaysPasses(in.method().name())) {
      new Passing(line, target, in, null).start();
      return;
    }
    Plan plan;
    try {
      plan = site.guard().plan(head(origin), target.route());
    } catch (AccountResolver.NotAuthenticatedException e) {
      notAuthenticated(target, String.valueOf(e.getMessage()));
      return;
    }
    if (site.config().mode() == Mode.OBSERVE) {
      Observed.start(loop, line, target, in, plan);
    } else if (plan instanceof Plan.Refused refused) {
      refused(target, refused.answer());
    } else if (plan instanceof Plan.ReadBody readBody) {
      new GuardedCall(loop, line, target, in, readBody).start();
    } else {
      new Passing(line, target, in, null).start();
    }
  }

  /** Answers a request that is one too many: it is not even looked at. */
  void tooMany() {
    Answer answer =
        line.site()
            .guard()
            .problem(
                ProblemType.TOO_MANY_OPERATIONS,
                "Too many requests are under way at this gateway. Try again later.");
    loop.gateway().metrics().route(REFUSED).answered(answer);
    loop.sendLast(in, answer);
  }

  private RequestHead head(String origin) throws AccountResolver.NotAuthenticatedException {
    List<Header> headers = new ArrayList<>();
    for (Map.Entry<String, String> header : in.headers()) {
      headers.add(new Header(header.getKey(), header.getValue()));
    }
    return RequestHead.of(
        in.method().name(),
        Strictness.path(origin),
        Strictness.query(origin),
        headers,
        line.site().config().account().account(headers));
  }

  private void notAuthenticated(Target target, String detail) {
    if (line.site().config().mode() == Mode.OBSERVE) {
      new Passing(line, target, in, null).start();
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
