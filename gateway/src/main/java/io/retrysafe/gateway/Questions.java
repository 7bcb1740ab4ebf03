// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.Bytes;
import io.retrysafe.Operation;
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
 * What others are asked on behalf of a request, with the request's own credentials: an upstream
 * what became of an operation, an authorizer whether a caller may see an answer.
 */
final class Questions implements ReplayCheck {
  /** The name under which keys for upstreams are derived. */
  static final String DOWNSTREAM = "upstream";

  private static final int LARGEST = 16 * 1024 * 1024;
  private static final String METHOD = "X-Original-Method";
  private static final String TARGET = "X-Original-URI";

  /** What of a request a question about it does not have. */
  private static final List<String> NOT_ASKED =
      List.of("Content-Type", "Content-Encoding", METHOD, TARGET);

  private final Loop loop;
  private final Line line;
  private final Target target;
  private final HttpServerRequest in;

  Questions(Loop loop, Line line, Target target, HttpServerRequest in) {
    this.loop = loop;
    this.line = line;
    this.target = target;
    this.in = in;
  }

  // Lookups

  HttpLookup lookup(RecoveryLookup lookup) {
    Limits limits = line.site().config().limits();
    return new HttpLookup(lookup.after(limits), operation -> ask(lookup, operation));
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
    Target asked =
        new Target(
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

  private Future<Answer> get(Target asked, String path, boolean saysWhat) {
    long within = line.site().config().limits().answerTimeout().toMillis();
    Asking asking = new Asking(asked, path, saysWhat);
    line.asking().call(asked.endpoint(), asking);
    return asking
        .answer
        .future()
        .timeout(within, TimeUnit.MILLISECONDS)
        .onFailure(failure -> asking.giveUp());
  }

  /** A question under way. */
  private final class Asking implements UpstreamCall.Listener {
    private final Target asked;
    private final String path;
    private final boolean saysWhat;
    private final Promise<Answer> answer = Promise.promise();
    private final Buffer body = Buffer.buffer();
    private @Nullable UpstreamCall call;
    private @Nullable HttpResponse head;
    private boolean isGivenUp;

    Asking(Target asked, String path, boolean saysWhat) {
      this.asked = asked;
      this.path = path;
      this.saysWhat = saysWhat;
    }

    @Override
    public void connected(UpstreamCall connected) {
      if (isGivenUp) {
        connected.unused();
        return;
      }
      try {
        HeadWriter writer = asked.head(connected, "GET", path, in, NOT_ASKED);
        if (saysWhat) {
          writer.add(METHOD, in.method().name()).add(TARGET, Strictness.origin(in));
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
                Forwarding.answer(head.headers()),
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

  private interface Question<T> {
    Future<T> ask();
  }

  private <T> CompletableFuture<T> onLoop(Question<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    loop.onLoop(
        () ->
            question
                .ask()
                .onComplete(
                    result -> {
                      if (result.succeeded()) {
                        answer.complete(result.result());
                      } else {
                        answer.completeExceptionally(result.cause());
                      }
                    }));
    return answer;
  }
}
