// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.Bytes;
import io.retrysafe.Operation;
import io.retrysafe.http.Answer;
import io.retrysafe.http.HttpLookup;
import io.retrysafe.http.Replay;
import io.retrysafe.http.ReplayCheck;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * What others are asked on behalf of a request, with the request's own credentials: an upstream
 * what became of an operation, an authorizer whether a caller may see an answer.
 */
final class Questions implements ReplayCheck {
  /** The name under which keys for upstreams are derived. */
  static final String DOWNSTREAM = "upstream";

  private static final int LARGEST = 16 * 1024 * 1024;

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
    return new HttpLookup(lookup.after(), operation -> ask(lookup, operation));
  }

  private CompletionStage<HttpLookup.Found> ask(RecoveryLookup lookup, Operation operation) {
    String path = lookup.path().replace(RecoveryLookup.KEY, encoded(key(operation)));
    // Not in the event loop: the store is asked next.
    return onLoop(() -> found(path))
        .whenCompleteAsync((found, failure) -> {}, loop.gateway().calls().ofStore());
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
            "authorize",
            null,
            null,
            origin(authorize),
            line.site().config().limits(),
            target.counters());
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
    RequestOptions options = asked.request(HttpMethod.GET, path);
    long within = line.site().config().limits().answerTimeout().toMillis();
    return line.asking()
        .request(options)
        .compose(
            request -> {
              asked.head(in, request);
              request.headers().remove("Content-Type").remove("Content-Encoding");
              if (saysWhat) {
                request.headers().set("X-Original-Method", in.method().name());
                request.headers().set("X-Original-URI", Strictness.origin(in));
              }
              return request
                  .send()
                  .compose(Questions::whole)
                  .timeout(within, TimeUnit.MILLISECONDS)
                  .onFailure(failure -> request.reset());
            });
  }

  private static Future<Answer> whole(HttpClientResponse answer) {
    Promise<Answer> whole = Promise.promise();
    Buffer body = Buffer.buffer();
    answer.exceptionHandler(whole::tryFail);
    answer.handler(
        part -> {
          body.appendBuffer(part);
          if (body.length() > LARGEST) {
            whole.tryFail("the answer has more than " + LARGEST + " bytes");
          }
        });
    answer.endHandler(
        end ->
            whole.tryComplete(
                new Answer(
                    answer.statusCode(),
                    Forwarding.answer(answer.headers()),
                    Bytes.wrap(body.getBytes()),
                    Answer.Source.HANDLER)));
    return whole.future();
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
