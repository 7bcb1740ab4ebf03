// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.Bytes;
import io.retrysafe.Operation;
import io.retrysafe.gateway.config.ForwardKey;
import io.retrysafe.gateway.config.RecoveryLookup;
import io.retrysafe.gateway.internal.upstream.HeadWriter;
import io.retrysafe.gateway.internal.upstream.UpstreamCall;
import io.retrysafe.gateway.internal.wire.RequestRules;
import io.retrysafe.http.Answer;
import io.retrysafe.http.HttpLookup;
import io.retrysafe.http.Replay;
import io.retrysafe.http.ReplayCheck;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends GET requests on behalf of a request, with its credentials: a lookup asks the upstream what
 * became of an operation, an authorizer decides whether the caller may see a recorded answer.
 */
final class UpstreamQuery implements ReplayCheck {
  /** The name for which keys for upstreams are derived. */
  static final String DOWNSTREAM = "upstream";

  private static final int LARGEST = 16 * 1024 * 1024;
  private static final String METHOD = "X-Original-Method";
  private static final String TARGET = "X-Original-URI";

  /** The header fields of a request that a query does not repeat. */
  private static final List<String> NOT_REPEATED =
      List.of("Content-Type", "Content-Encoding", METHOD, TARGET);

  private final RequestContext request;
  private final RouteTarget target;
  private final HttpServerRequest in;

  UpstreamQuery(RequestContext request, RouteTarget target) {
    this.request = request;
    this.target = target;
    this.in = request.in();
  }

  // Lookups

  HttpLookup lookup(RecoveryLookup lookup) {
    return new HttpLookup(lookup.after(request.limits()), operation -> ask(lookup, operation));
  }

  private CompletionStage<HttpLookup.Found> ask(RecoveryLookup lookup, Operation operation) {
    String path = lookup.path().replace(RecoveryLookup.KEY, encoded(key(operation)));
    return onLoop(() -> found(path));
  }

  private String key(Operation operation) {
    return target.forwardKey() == ForwardKey.DERIVED
        ? operation.downstreamKey(DOWNSTREAM)
        : operation.key().value();
  }

  private static String encoded(String key) {
    return URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private Future<HttpLookup.Found> found(String path) {
    return get(target, path, false)
        .map(answer -> new HttpLookup.Found(answer.status(), answer.headers(), answer.body()));
  }

  // Replays

  @Override
  public CompletionStage<Optional<Answer>> check(Replay replay) {
    URI authorize = target.authorize();
    return authorize == null
        ? CompletableFuture.completedFuture(Optional.empty())
        : onLoop(() -> authorized(authorize));
  }

  private Future<Optional<Answer>> authorized(URI authorize) {
    RouteTarget asked =
        new RouteTarget(
            "authorize", null, null, origin(authorize), target.fieldRules(), target.counters());
    return get(asked, pathOf(authorize), true)
        .map(
            answer -> {
              if (answer.status() == 401 || answer.status() == 403) {
                return Optional.of(answer);
              }
              if (answer.status() < 200 || answer.status() > 299) {
                throw new IllegalStateException(authorize + " answered " + answer.status());
              }
              return Optional.<Answer>empty();
            });
  }

  private static URI origin(URI uri) {
    return URI.create(uri.getScheme() + "://" + uri.getRawAuthority());
  }

  private static String pathOf(URI uri) {
    String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
  }

  // Both

  private Future<Answer> get(RouteTarget asked, String path, boolean namesRequest) {
    long within = request.limits().answerTimeout().toMillis();
    PendingQuery pending = new PendingQuery(asked, path, namesRequest);
    request.queries().call(asked.endpoint(), pending);
    return pending
        .answer
        .future()
        .timeout(within, TimeUnit.MILLISECONDS)
        .onFailure(failure -> pending.giveUp());
  }

  /** A query under way. */
  private final class PendingQuery implements UpstreamCall.Listener {
    private final RouteTarget asked;
    private final String path;
    private final boolean namesRequest;
    private final Promise<Answer> answer = Promise.promise();
    private final Buffer body = Buffer.buffer();
    private @Nullable UpstreamCall call;
    private @Nullable HttpResponse head;
    private boolean isGivenUp;

    PendingQuery(RouteTarget asked, String path, boolean namesRequest) {
      this.asked = asked;
      this.path = path;
      this.namesRequest = namesRequest;
    }

    @Override
    public void connected(UpstreamCall connected) {
      if (isGivenUp) {
        connected.unused();
        return;
      }
      try {
        HeadWriter writer = asked.head(connected, "GET", path, in, NOT_REPEATED);
        if (namesRequest) {
          writer.add(METHOD, in.method().name()).add(TARGET, RequestRules.origin(in));
        }
        call = connected;
        connected.send(writer, new byte[0]);
      } catch (IllegalArgumentException e) {
        connected.unused();
        answer.tryFail(e);
      }
    }

    @Override
    public void unreachable(Throwable cause) {
      answer.tryFail(cause);
    }

    @Override
    public void head(HttpResponse response) {
      head = response;
    }

    @Override
    public void part(Buffer part) {
      body.appendBuffer(part);
      if (body.length() > LARGEST) {
        answer.tryFail("the answer has more than " + LARGEST + " bytes");
      }
    }

    @Override
    public void ended() {
      if (head != null) {
        answer.tryComplete(
            new Answer(
                head.status().code(),
                ForwardedHeaders.answer(head.headers()),
                Bytes.wrap(body.getBytes()),
                Answer.Source.HANDLER));
      }
    }

    @Override
    public void cut(Throwable cause) {
      answer.tryFail(cause);
    }

    void giveUp() {
      isGivenUp = true;
      if (call != null) {
        call.reset();
      }
    }
  }

  private interface Query<T> {
    Future<T> send();
  }

  private <T> CompletableFuture<T> onLoop(Query<T> query) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    request.run(() -> sent(query).onComplete(answer::complete, answer::completeExceptionally));
    return answer;
  }

  private static <T> Future<T> sent(Query<T> query) {
    try {
      return query.send();
    } catch (Throwable e) {
      return Future.failedFuture(e);
    }
  }
}
