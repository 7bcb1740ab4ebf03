// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.Answer;
import io.retrysafe.http.BeginResult;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.Plan;
import io.retrysafe.http.Replay;
import io.retrysafe.http.RequestHead;
import io.retrysafe.http.Route;
import io.retrysafe.http.body.BodySpool;
import io.retrysafe.http.body.RequestBody;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Guards the routes of a servlet application. Map it behind whatever authenticates callers, for the
 * dispatcher types REQUEST and ASYNC, with async supported.
 *
 * <p>The request's body is read to its end before anything is claimed; the application reads it
 * again, as bytes, text, form or parts. The answer is held back until it is recorded. What is too
 * large to keep, an event stream, or what was flushed while the handler goes on leaves at once and
 * is recorded as not kept at its end.
 */
public final class RetrysafeFilter implements Filter {
  private static final String EXCHANGE = RetrysafeFilter.class.getName() + ".exchange";
  private static final String ANSWER = RetrysafeFilter.class.getName() + ".answer";
  private static final String GUARDED = RetrysafeFilter.class.getName() + ".guarded";

  private final HttpGuard guard;
  private final Function<HttpServletRequest, @Nullable String> account;
  private final Function<HttpServletRequest, @Nullable String> version;
  private final ErrorRules errors;
  private final DelayedFlushes flushes;
  private final Function<HttpServletRequest, Optional<Route>> finder;
  private final ReplayAuthorizer authorizer;

  private RetrysafeFilter(Builder builder) {
    this.guard = builder.guard;
    this.account = builder.account;
    this.version = builder.version;
    this.errors = new ErrorRules(builder.errorPage, builder.isPassedOn, builder.handled);
    this.flushes = new DelayedFlushes(builder.flushAfter);
    this.finder = builder.finder;
    this.authorizer = builder.authorizer;
  }

  /** Returns a filter with all defaults: the account is the user principal's name. */
  public static RetrysafeFilter create(HttpGuard guard) {
    return builder(guard).build();
  }

  /** Returns a builder of a filter. */
  public static Builder builder(HttpGuard guard) {
    return new Builder(guard);
  }

  /**
   * Returns the exchange that a request belongs to, for handlers that use its operation's steps and
   * downstream keys or say what their answer means; nothing for requests that pass untouched.
   */
  public static Optional<Exchange> exchange(ServletRequest request) {
    return request.getAttribute(EXCHANGE) instanceof Exchange exchange
        ? Optional.of(exchange)
        : Optional.empty();
  }

  /**
   * Returns the answer that a request was given instead of its handler's, a replay or a problem,
   * for filters before this one that watch what happens.
   */
  public static Optional<Answer> answer(ServletRequest request) {
    return request.getAttribute(ANSWER) instanceof Answer answer
        ? Optional.of(answer)
        : Optional.empty();
  }

  /**
   * Returns the path of a request inside its application, as routes match it wherever the
   * application is deployed. Scopes use the whole path.
   */
  public static String path(HttpServletRequest request) {
    String uri = request.getRequestURI();
    String context = request.getContextPath();
    return uri.startsWith(context) ? uri.substring(context.length()) : uri;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean isFirst = request.getDispatcherType() == DispatcherType.REQUEST;
    if (isFirst
        && request.getAttribute(GUARDED) == null
        && request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse answer) {
      guard(http, answer, chain);
    } else if (request.getDispatcherType() == DispatcherType.ASYNC
        && request.getAttribute(GUARDED) instanceof GuardedRequest guarded) {
      guarded.run(() -> chain.doFilter(request, response));
    } else {
      chain.doFilter(request, response);
    }
  }

  private void guard(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Plan plan =
        finder
            .apply(request)
            .or(() -> guard.match(request.getMethod(), path(request)))
            .map(route -> guard.plan(head(request), route))
            .orElseGet(Plan.PassThrough::new);
    if (plan instanceof Plan.Refused refused) {
      answer(refused.answer(), request, response);
    } else if (plan instanceof Plan.ReadBody readBody) {
      read(readBody, request, response, chain);
    } else {
      chain.doFilter(request, response);
    }
  }

  private void read(
      Plan.ReadBody plan,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws IOException, ServletException {
    try (BodySpool spool = plan.spool()) {
      if (!spool.readFrom(request.getInputStream())) {
        answer(plan.bodyTooLarge(), request, response);
        return;
      }
      RequestBody body = spool.body();
      checkUnread(request, body);
      BeginResult begun;
      try {
        begun = guard.begin(plan.check(replay -> asked(request, replay)), body);
      } catch (RuntimeException e) {
        body.close();
        throw e;
      }
      if (begun instanceof BeginResult.Run run) {
        run(run.exchange(), body, request, response, chain);
      } else if (begun instanceof BeginResult.Answered answered) {
        body.close();
        answer(answered.answer(), request, response);
      }
    }
  }

  private CompletableFuture<Optional<Answer>> asked(HttpServletRequest request, Replay replay) {
    boolean isAllowed = authorizer.mayReplay(request, replay);
    return CompletableFuture.completedFuture(
        isAllowed
            ? Optional.empty()
            : Optional.of(replay.refused(HttpServletResponse.SC_FORBIDDEN)));
  }

  private static void answer(
      Answer answer, HttpServletRequest request, HttpServletResponse response) throws IOException {
    request.setAttribute(ANSWER, answer);
    AnswerWriter.send(answer, response);
  }

  /**
   * Fails closed where a body was read before: two requests that differ in it would look alike, and
   * the application would find it empty.
   */
  private static void checkUnread(HttpServletRequest request, RequestBody body)
      throws ServletException {
    if (body.size() == 0 && request.getContentLengthLong() > 0) {
      throw new ServletException(
          "the body of "
              + request.getMethod()
              + " "
              + request.getRequestURI()
              + " was read before the Retrysafe filter saw it, perhaps by a filter that asks for"
              + " parameters or parts; map the Retrysafe filter before that one");
    }
  }

  private void run(
      Exchange exchange,
      RequestBody body,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws IOException, ServletException {
    HeldResponse held = new HeldResponse(response, exchange, flushes);
    GuardedRequest guarded = new GuardedRequest(exchange, body, held, errors);
    BufferedRequest read = new BufferedRequest(request, body, guarded);
    guarded.request(read);
    request.setAttribute(EXCHANGE, exchange);
    request.setAttribute(GUARDED, guarded);
    guarded.run(() -> chain.doFilter(read, held));
  }

  private RequestHead head(HttpServletRequest request) {
    List<Header> headers = new ArrayList<>();
    for (String name : Collections.list(request.getHeaderNames())) {
      Collections.list(request.getHeaders(name))
          .forEach(value -> headers.add(new Header(name, value)));
    }
    return new RequestHead(
        request.getMethod(),
        request.getRequestURI(),
        request.getQueryString(),
        headers,
        account.apply(request),
        version.apply(request));
  }

  @Override
  public void destroy() {
    flushes.stop();
  }

  /** Settings of a filter. */
  public static final class Builder {
    private final HttpGuard guard;
    private Function<HttpServletRequest, @Nullable String> account = Builder::principal;
    private Function<HttpServletRequest, @Nullable String> version = request -> null;
    private @Nullable String errorPage;
    private Predicate<Throwable> isPassedOn = thrown -> false;
    private Function<HttpServletRequest, @Nullable Throwable> handled = request -> null;
    private Duration flushAfter = Duration.ofMillis(100);
    private Function<HttpServletRequest, Optional<Route>> finder = request -> Optional.empty();
    private ReplayAuthorizer authorizer = (request, replay) -> true;

    private Builder(HttpGuard guard) {
      this.guard = guard;
    }

    private static @Nullable String principal(HttpServletRequest request) {
      Principal principal = request.getUserPrincipal();
      return principal == null ? null : principal.getName();
    }

    /**
     * The account of the caller, null if it has no identity; the name of the user principal by
     * default. It must be what the server verified, and must not change when a credential rotates.
     */
    public Builder account(Function<HttpServletRequest, @Nullable String> account) {
      this.account = account;
      return this;
    }

    /**
     * Finds the route of a request before those of the guard are tried, for frameworks that know
     * better which handler will get it; it must not read the body. None by default.
     */
    public Builder finder(Function<HttpServletRequest, Optional<Route>> finder) {
      this.finder = finder;
      return this;
    }

    /**
     * The check before every replay; by default every caller that reaches the filter may see the
     * answer.
     */
    public Builder replayAuthorizer(ReplayAuthorizer authorizer) {
      this.authorizer = authorizer;
      return this;
    }

    /** The API version that a request is for, part of the scope; null, the default, for none. */
    public Builder version(Function<HttpServletRequest, @Nullable String> version) {
      this.version = version;
      return this;
    }

    /**
     * The path inside the application that renders errors, such as {@code /error}: it is forwarded
     * to with the attributes of an error dispatch, and what it answers is recorded. Without one,
     * the default, an error is answered as a problem.
     */
    public Builder errorPage(String path) {
      if (!path.startsWith("/")) {
        throw new IllegalArgumentException("errorPage must begin with a slash, was " + path);
      }
      this.errorPage = path;
      return this;
    }

    /**
     * Which exceptions of the handler an earlier filter turns into an answer, such as those of
     * access control. They go up the filter chain and their operation counts as refused: the key is
     * free again. None by default.
     */
    public Builder passOn(Predicate<Throwable> isPassedOn) {
      this.isPassedOn = isPassedOn;
      return this;
    }

    /**
     * Finds the exception of the handler that the framework itself made an answer of, null for
     * none; nothing is found by default. An exception of {@link
     * io.retrysafe.http.HttpPolicy#unknownOn} leaves the outcome unknown, even if the framework
     * answers it.
     */
    public Builder handledException(Function<HttpServletRequest, @Nullable Throwable> handled) {
      this.handled = handled;
      return this;
    }

    /**
     * How long an answer that was flushed is held back while its handler goes on, 100 ms by
     * default: frameworks flush at the end of almost every answer, and those are to be kept.
     */
    public Builder flushAfter(Duration flushAfter) {
      if (flushAfter.isNegative()) {
        throw new IllegalArgumentException("flushAfter must not be negative, was " + flushAfter);
      }
      this.flushAfter = flushAfter;
      return this;
    }

    public RetrysafeFilter build() {
      return new RetrysafeFilter(this);
    }
  }
}
