// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Retrysafe;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.OutcomeKind;
import io.retrysafe.http.testkit.Instance;
import io.retrysafe.store.memory.MemoryStore;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ReadListener;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a servlet application may do behind the filter, besides what the contract says. */
abstract class FilterTests {
  private final AtomicInteger runs = new AtomicInteger();
  private final HttpClient client = HttpClient.newHttpClient();
  private @Nullable Instance instance;

  /** What the application does. */
  interface Handler {
    void handle(HttpServletRequest request, HttpServletResponse response)
        throws IOException, ServletException;
  }

  abstract Instance start(Retrysafe engine, Filter filter, Servlet servlet) throws Exception;

  @AfterEach
  void stop() throws IOException {
    if (instance != null) {
      instance.close();
    }
  }

  private void serve(Handler handler) throws Exception {
    serve(handler, builder -> builder);
  }

  private void serve(Handler handler, UnaryOperator<RetrysafeFilter.Builder> settings)
      throws Exception {
    Retrysafe engine = Retrysafe.create(MemoryStore.create());
    HttpGuard guard = HttpGuard.builder(engine).route("POST /p", HttpPolicy.create()).build();
    RetrysafeFilter filter =
        settings.apply(RetrysafeFilter.builder(guard).account(request -> "a")).build();
    HttpServlet servlet =
        new HttpServlet() {
          private static final long serialVersionUID = 1L;

          @Override
          protected void service(HttpServletRequest request, HttpServletResponse response)
              throws ServletException, IOException {
            if (!request
                .getServletPath()
                .concat(String.valueOf(request.getPathInfo()))
                .contains("error")) {
              runs.incrementAndGet();
            }
            handler.handle(request, response);
          }
        };
    instance = start(engine, filter, servlet);
  }

  private HttpResponse<String> send(String key, String type, String body) throws Exception {
    int port = instance == null ? 0 : instance.port();
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/p?q=1&q=2"))
            .timeout(Duration.ofSeconds(20))
            .header("Content-Type", type)
            .header("Idempotency-Key", key)
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> twice(String type, String body) throws Exception {
    String key = UUID.randomUUID().toString();
    HttpResponse<String> first = send(key, type, body);
    HttpResponse<String> retry = send(key, type, body);
    assertThat(retry.headers().firstValue("Idempotent-Replayed"))
        .as("%s", retry.body())
        .contains("true");
    assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
    assertThat(retry.statusCode()).isEqualTo(first.statusCode());
    assertThat(retry.body()).isEqualTo(first.body());
    assertThat(retry.headers().allValues("Content-Type"))
        .isEqualTo(first.headers().allValues("Content-Type"));
    assertThat(runs).hasValue(1);
    return first;
  }

  @Test
  void aBodyIsReadAsText() throws Exception {
    serve(
        (request, response) -> {
          response.setContentType("text/plain");
          response.setCharacterEncoding("UTF-8");
          response.getWriter().print(request.getReader().readLine());
        });

    HttpResponse<String> first = twice("text/plain;charset=UTF-8", "Zo\u00eb");

    assertThat(first.body()).isEqualTo("Zo\u00eb");
    assertThat(
            first
                .headers()
                .firstValue("Content-Type")
                .orElse("")
                .toLowerCase(Locale.ROOT)
                .replace(" ", ""))
        .isEqualTo("text/plain;charset=utf-8");
  }

  @Test
  void parametersOfQueryAndFormAreReadTogether() throws Exception {
    serve(
        (request, response) -> {
          StringBuilder all = new StringBuilder();
          new TreeMap<>(request.getParameterMap())
              .forEach(
                  (name, values) -> all.append(name).append(String.join(",", values)).append(';'));
          all.append(request.getParameter("q")).append(request.getParameter("absent"));
          all.append(request.getParameterValues("q").length);
          response.getWriter().print(all);
        });

    assertThat(twice("application/x-www-form-urlencoded", "q=3&b=%26&e&bad=%zz").body())
        .isEqualTo("b&;e;q1,2,3;1null3");
  }

  @Test
  void partsAreReadWithTheirHeadersAndBytes() throws Exception {
    serve(
        (request, response) -> {
          StringBuilder all = new StringBuilder();
          request
              .getParts()
              .forEach(
                  part ->
                      all.append(part.getName())
                          .append('/')
                          .append(part.getSubmittedFileName())
                          .append('/')
                          .append(part.getContentType())
                          .append('/')
                          .append(part.getSize())
                          .append(' '));
          byte[] bytes = request.getPart("f").getInputStream().readAllBytes();
          all.append(new String(bytes, StandardCharsets.UTF_8).replace("\r\n", "|"));
          all.append(request.getPart("absent")).append(request.getParameter("n"));
          response.getWriter().print(all);
        });
    String body =
        String.join(
            "\r\n",
            "preamble",
            "--b",
            "Content-Disposition: form-data; name=\"n\"",
            "",
            "1",
            "--b",
            "content-disposition: form-data; filename=\"a \\\"b\\\".txt\"; name=f",
            "Content-Type: text/css",
            "",
            "x",
            "--",
            "--",
            "--b--",
            "");

    assertThat(twice("multipart/form-data; boundary=\"b\"", body).body())
        .isEqualTo("n/null/null/1 f/a \"b\".txt/text/css/9 x|--|--null1");
  }

  @Test
  void anAnswerThatIsFlushedAtItsEndIsKept() throws Exception {
    serve(
        (request, response) -> {
          response.setContentType("application/json");
          response.getOutputStream().write("{}".getBytes(StandardCharsets.UTF_8));
          response.getOutputStream().flush();
          response.flushBuffer();
        });

    assertThat(twice("text/plain", "b").body()).isEqualTo("{}");
  }

  @Test
  void aRedirectIsKept() throws Exception {
    serve((request, response) -> response.sendRedirect("/elsewhere"));

    HttpResponse<String> first = twice("text/plain", "b");

    assertThat(first.statusCode()).isEqualTo(302);
    assertThat(first.headers().firstValue("Location"))
        .hasValueSatisfying(l -> assertThat(l).endsWith("/elsewhere"));
  }

  @Test
  void cookiesReachTheFirstCallerOnly() throws Exception {
    serve((request, response) -> response.addCookie(new Cookie("s", "1")));
    String key = UUID.randomUUID().toString();

    assertThat(send(key, "text/plain", "b").headers().allValues("Set-Cookie")).hasSize(1);
    assertThat(send(key, "text/plain", "b").headers().allValues("Set-Cookie")).isEmpty();
  }

  @Test
  void aResetAnswerLeavesNothingBehind() throws Exception {
    serve(
        (request, response) -> {
          response.setContentType("text/html");
          response.addHeader("X-Gone", "1");
          response.setStatus(202);
          response.getWriter().print("gone");
          response.reset();
          response.setIntHeader("X-Stays", 1);
          response.setDateHeader("Last-Modified", 0);
          response.getOutputStream().write('x');
        });

    HttpResponse<String> first = twice("text/plain", "b");

    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("x");
    assertThat(first.headers().firstValue("X-Gone")).isEmpty();
    assertThat(first.headers().firstValue("X-Stays")).contains("1");
    assertThat(first.headers().firstValue("Last-Modified"))
        .contains("Thu, 01 Jan 1970 00:00:00 GMT");
  }

  @Test
  void anErrorIsAnsweredAsAProblem() throws Exception {
    serve((request, response) -> response.sendError(404, "secret of the handler"));

    HttpResponse<String> first = twice("text/plain", "b");

    assertThat(first.statusCode()).isEqualTo(404);
    assertThat(first.body()).isEqualTo("{\"type\":\"about:blank\",\"status\":404}");
  }

  @Test
  void anErrorPageOfTheApplicationIsRecorded() throws Exception {
    serve(
        (request, response) -> {
          Object status = request.getAttribute("jakarta.servlet.error.status_code");
          if (status == null) {
            response.addHeader("X-Gone", "1");
            throw new IllegalStateException("broken");
          }
          response.setContentType("text/plain");
          response
              .getWriter()
              .print(status + " " + request.getAttribute("jakarta.servlet.error.exception"));
        },
        builder -> builder.errorPage("/error"));

    HttpResponse<String> first = twice("text/plain", "b");

    assertThat(first.statusCode()).isEqualTo(500);
    assertThat(first.body()).isEqualTo("500 java.lang.IllegalStateException: broken");
    assertThat(first.headers().firstValue("X-Gone")).isEmpty();
  }

  @Test
  void anErrorPageThatFailsIsAProblem() throws Exception {
    serve(
        (request, response) -> {
          throw new IllegalStateException("broken");
        },
        builder -> builder.errorPage("/error"));

    assertThat(twice("text/plain", "b").body()).contains("operation-failed");
  }

  @Test
  void anAsynchronousDispatchIsRecordedAtItsEnd() throws Exception {
    serve(
        (request, response) -> {
          if (request.getAttribute("again") == null) {
            request.setAttribute("again", true);
            AsyncContext context = request.startAsync();
            new Thread(context::dispatch).start();
          } else {
            runs.decrementAndGet();
            response.setStatus(201);
            response.getWriter().print("dispatched");
          }
        });

    assertThat(twice("text/plain", "b").body()).isEqualTo("dispatched");
  }

  @Test
  void aBodyIsReadWithoutBlocking() throws Exception {
    serve(
        (request, response) -> {
          AsyncContext context = request.startAsync();
          ServletInputStream in = request.getInputStream();
          in.setReadListener(
              new ReadListener() {
                private final StringBuilder read = new StringBuilder();

                @Override
                public void onDataAvailable() throws IOException {
                  while (in.isReady() && !in.isFinished()) {
                    read.append((char) in.read());
                  }
                }

                @Override
                public void onAllDataRead() throws IOException {
                  response.getWriter().print("read " + read);
                  context.complete();
                }

                @Override
                public void onError(Throwable failure) {
                  context.complete();
                }
              });
        });

    assertThat(twice("text/plain", "body").body()).isEqualTo("read body");
  }

  @Test
  void aHandlerThatTimedOutIsUnknown() throws Exception {
    serve(
        (request, response) -> {
          AsyncContext context = request.startAsync();
          context.setTimeout(50);
        });
    String key = UUID.randomUUID().toString();

    HttpResponse<String> first = send(key, "text/plain", "b");
    HttpResponse<String> retry = send(key, "text/plain", "b");
    // The container may send its answer before it tells that the request is over.
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (retry.body().contains("in-progress") && System.nanoTime() < end) {
      retry = send(key, "text/plain", "b");
    }

    assertThat(first.statusCode()).isEqualTo(500);
    assertThat(retry.body()).contains("outcome-unknown");
    assertThat(runs).hasValue(1);
  }

  @Test
  void aHandlerUsesItsOperationAndSaysWhatItsAnswerMeans() throws Exception {
    serve(
        (request, response) -> {
          response
              .getWriter()
              .print(
                  RetrysafeFilter.exchange(request)
                      .flatMap(exchange -> exchange.operation())
                      .orElseThrow()
                      .downstreamKey("charge"));
          RetrysafeFilter.exchange(request).orElseThrow().outcome(OutcomeKind.REFUSED);
        });
    String key = UUID.randomUUID().toString();

    String first = send(key, "text/plain", "b").body();

    assertThat(UUID.fromString(first)).hasToString(first);
    assertThat(send(key, "text/plain", "b").body()).isEqualTo(first);
    assertThat(runs).hasValue(2);
  }

  @Test
  void theAccountIsThePrincipalUnlessItIsSaidOtherwise() throws Exception {
    Retrysafe engine = Retrysafe.create(MemoryStore.create());
    HttpGuard guard = HttpGuard.builder(engine).route("POST /p", HttpPolicy.create()).build();
    instance = start(engine, RetrysafeFilter.create(guard), new HttpServlet() {});

    assertThat(send("k", "text/plain", "b").body()).contains("account-missing");
  }

  @Test
  void aBodyThatWasReadBeforeTheFilterIsRefusedAndNothingRuns() throws Exception {
    Retrysafe engine = Retrysafe.create(MemoryStore.create());
    HttpGuard guard = HttpGuard.builder(engine).route("POST /p", HttpPolicy.create()).build();
    RetrysafeFilter filter = RetrysafeFilter.builder(guard).account(request -> "a").build();
    Filter early =
        (request, response, chain) -> {
          request.getParameter("q");
          filter.doFilter(request, response, chain);
        };
    HttpServlet servlet =
        new HttpServlet() {
          private static final long serialVersionUID = 1L;

          @Override
          protected void doPost(HttpServletRequest request, HttpServletResponse response) {
            runs.incrementAndGet();
          }
        };
    instance = start(engine, early, servlet);

    assertThat(send("k", "application/x-www-form-urlencoded", "a=1").statusCode()).isEqualTo(500);
    assertThat(send("k", "application/x-www-form-urlencoded", "").statusCode()).isEqualTo(200);
    assertThat(runs).hasValue(1);
  }
}
