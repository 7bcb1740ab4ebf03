// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.EventLoop;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.RetrysafeException;
import io.retrysafe.Scope;
import io.retrysafe.http.body.BodyMemory;
import io.retrysafe.http.body.BodySpool;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.http.internal.json.JsonMemory;
import io.retrysafe.http.internal.json.MalformedJsonException;
import io.retrysafe.http.internal.syntax.HttpMethods;
import io.retrysafe.http.internal.syntax.RequestPaths;
import io.retrysafe.http.internal.syntax.RouteTemplate;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.http.settings.Unmatched;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The decisions about HTTP requests. An adapter
 *
 * <ol>
 *   <li>asks for a {@link Plan} with the request's head;
 *   <li>where the plan says so, reads the body to its end and {@linkplain #begin begins};
 *   <li>lets the handler run, or sends the answer that it was given;
 *   <li>tells the {@link Exchange} what the handler answered, and sends what that returns.
 * </ol>
 *
 * <p>No HTTP rule is decided elsewhere. A guard serves any number of threads.
 */
public final class HttpGuard {
  /** The largest body that is compared in an event loop. */
  private static final int READ_AT_ONCE = 64 * 1024;

  private final AdmissionControl admission;
  private final RequestPlanner planner;
  private final HttpPolicy policy;
  private final Map<RouteTemplate, Route> routes = new LinkedHashMap<>();
  private final @Nullable Route unmatched;
  private final Retrysafe engine;
  private final BodyMemory memory;

  private HttpGuard(Builder builder) {
    this.memory = builder.memory;
    BodySpool.removeLeftovers();
    this.engine = builder.engine;
    this.policy = builder.policy;
    this.admission = new AdmissionControl(engine, policy, builder.nanos, builder.background);
    this.planner = new RequestPlanner(builder.clock);
    this.unmatched =
        policy.get(Settings.UNMATCHED) == Unmatched.GUARD
            ? route("unmatched requests", HttpPolicy.create())
            : null;
    builder.routes.forEach(
        (match, route) -> routes.put(RouteTemplate.parse(match), route(match, route)));
  }

  /** Returns a builder of a guard on {@code engine}. */
  public static Builder builder(Retrysafe engine) {
    return new Builder(engine);
  }

  /**
   * Returns a route that an adapter finds in its own way, by an annotation for example. What {@code
   * policy} leaves open is as for all routes.
   *
   * @param name what people call it
   */
  public Route route(String name, HttpPolicy policy) {
    Route route = new Route(name, policy.over(this.policy));
    engine.check(route.enginePolicy());
    if (route.policy().get(Settings.ANONYMOUS) == Anonymous.SHARED) {
      System.getLogger("io.retrysafe.http")
          .log(
              System.Logger.Level.WARNING,
              "{0}: callers without identity share one account; all that send the same key and"
                  + " request get the same answer",
              name);
    }
    return route;
  }

  /** Returns the routes that the guard was given, in order. */
  public List<Route> routes() {
    return List.copyOf(routes.values());
  }

  /** Returns the plan for a request, by the first route that matches it. */
  public Plan plan(RequestHead head) {
    return match(head.method(), head.path())
        .map(route -> plan(head, route))
        .orElseGet(Plan.PassThrough::new);
  }

  /**
   * Returns the first route that matches, for adapters that match another path than that of the
   * request: one inside an application, for example. Nothing if such requests pass untouched. A
   * misspelt method is matched as the known one, so that its request is refused.
   *
   * @param path still percent-encoded, without a query
   */
  public Optional<Route> match(String method, String path) {
    String normalised = RequestPaths.normalised(path);
    String known = HttpMethods.known(method);
    for (Map.Entry<RouteTemplate, Route> route : routes.entrySet()) {
      if (route.getKey().matches(known, normalised)) {
        return Optional.of(route.getValue());
      }
    }
    return Optional.ofNullable(unmatched);
  }

  /**
   * Returns the one form of what a route matches: {@code POST /a/{b}} and {@code POST /a/{c}} have
   * the same.
   *
   * @throws IllegalArgumentException if it is not a method and a path
   */
  public static String canonicalMatch(String match) {
    return RouteTemplate.parse(match).canonical();
  }

  /** Returns whether requests with this method pass untouched whatever their route says. */
  public static boolean alwaysPasses(String method) {
    return HttpMethods.SAFE.contains(method);
  }

  /**
   * Returns the problem of a request whose method differs from a known one in case only, such as
   * {@code post}; nothing for all others. {@link #plan(RequestHead, Route)} says the same.
   */
  public Optional<Answer> misspelt(String method) {
    return HttpMethods.isMisspelt(method)
        ? Optional.of(problem(ProblemType.METHOD_INVALID, RequestPlanner.methodInvalid(method)))
        : Optional.empty();
  }

  /** Returns the plan for a request of a route. */
  public Plan plan(RequestHead head, Route route) {
    return planner.plan(head, route);
  }

  /**
   * Decides about a request whose body was read. Blocks for the store's answer, for a running
   * duplicate as long as the route says, and for the plan's {@linkplain Plan.ReadBody#check check};
   * an interrupted wait is given up and changes nothing.
   */
  public BeginResult begin(Plan.ReadBody plan, RequestBody body) {
    BeginResult result;
    try {
      result = admission.begin(plan, operation(plan, body, plan.scope()), plan.policy());
    } catch (RefusedException e) {
      return new BeginResult.Answered(e.answer());
    }
    CompletableFuture<BeginResult> checked =
        ReplayChecks.checked(plan, result).toCompletableFuture();
    try {
      return checked.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new BeginResult.Answered(plan.route().answers().inProgress(Duration.ofSeconds(1)));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new CompletionException(e);
    }
  }

  /**
   * Decides as {@link #begin} does, without holding the event loop: the store is asked as {@link
   * Retrysafe#beginAsync} says, and bodies that are large or on disk are read where blocking is
   * allowed. The decision comes in the calling thread before this returns, or in the loop, or in
   * the thread in which a check ends.
   *
   * <p>Cancelling the future gives up the wait for a duplicate, a lookup or a check. It does not
   * stop a claim that the store is deciding: then {@code cancel} returns false.
   */
  public CompletableFuture<BeginResult> beginAsync(
      Plan.ReadBody plan, RequestBody body, EventLoop loop) {
    return beginAsync(plan, body, plan.scope(), plan.policy(), loop);
  }

  /**
   * Returns what {@link #beginAsync} would have decided, for requests that run in any case. Keys
   * that were only observed are kept apart from those that are guarded. A {@link BeginResult.Run}
   * is ended when the handler has answered.
   */
  public CompletableFuture<BeginResult> observe(
      Plan.ReadBody plan, RequestBody body, EventLoop loop) {
    List<String> parts = new ArrayList<>(plan.scope().parts());
    parts.add("observed");
    Policy policy = plan.route().enginePolicy().waitUpTo(Duration.ZERO);
    return beginAsync(plan, body, new Scope(parts), policy, loop);
  }

  private CompletableFuture<BeginResult> beginAsync(
      Plan.ReadBody plan, RequestBody body, Scope scope, Policy policy, EventLoop loop) {
    BeginFuture future = new BeginFuture(plan);
    Supplier<OperationRequest> read = () -> operation(plan, body, scope);
    if (body.file().isPresent() || body.size() > READ_AT_ONCE) {
      future.block(
          read,
          loop,
          operation -> future.run(() -> admission.begin(future, operation, policy, loop)));
    } else {
      future.run(() -> admission.begin(future, read.get(), policy, loop));
    }
    return future;
  }

  /**
   * Returns a problem for a request that has no exchange, so that nothing ran; {@code detail} is
   * for people.
   */
  public Answer problem(ProblemType type, String detail) {
    return new Answers(policy, new RouteTimes()).nothingRan(type, detail);
  }

  private OperationRequest operation(Plan.ReadBody plan, RequestBody body, Scope scope) {
    Answers answers = plan.route().answers();
    try {
      OperationKey key = new OperationKey(scope, key(plan, body));
      return new OperationRequest(key, plan.route().fingerprints().of(plan.head(), body, memory));
    } catch (NaturalKey.MissingException e) {
      throw new RefusedException(answers.of(ProblemType.KEY_MISSING, RequestPlanner.sentence(e)));
    } catch (MalformedJsonException e) {
      throw new RefusedException(
          answers.of(
              ProblemType.BODY_INVALID,
              "The body cannot be read as JSON: " + e.getMessage() + "."));
    } catch (JsonMemory.ExhaustedException e) {
      throw new RefusedException(
          answers.tooManyOperations(
              "Too many large bodies are being compared at this moment. Try again later."));
    } catch (IOException e) {
      throw new UncheckedIOException("a request body that was read cannot be read again", e);
    }
  }

  /**
   * Returns the problem that tells a caller what {@code exception} says, for operations that run
   * inside a handler.
   */
  public Answer answer(RetrysafeException exception) {
    return new Answers(policy, new RouteTimes()).of(exception);
  }

  private String key(Plan.ReadBody plan, RequestBody body)
      throws NaturalKey.MissingException, MalformedJsonException, IOException {
    @Nullable String key = plan.key();
    return key == null
        ? new NaturalKey(plan.route().naturalKey()).of(plan.head(), body, memory)
        : key;
  }

  /** Settings of a guard. */
  public static final class Builder {
    private final Retrysafe engine;
    private final Map<String, HttpPolicy> routes = new LinkedHashMap<>();
    private final Set<String> matches = new HashSet<>();
    private HttpPolicy policy = HttpPolicy.create();
    private InstantSource clock = InstantSource.system();
    private LongSupplier nanos = System::nanoTime;
    private Executor background = Quotas.threads();
    private BodyMemory memory = BodyMemory.of(Runtime.getRuntime().maxMemory() / 8);

    private Builder(Retrysafe engine) {
      this.engine = engine;
    }

    /** What holds for all routes; all defaults by default. */
    public Builder policy(HttpPolicy policy) {
      this.policy = policy;
      return this;
    }

    /**
     * Adds a route; the first that matches a request counts.
     *
     * @param match a method and a path, such as {@code POST /payments/{id}} or {@code /admin/**}
     * @param policy what is different there
     */
    public Builder route(String match, HttpPolicy policy) {
      if (!matches.add(canonicalMatch(match))) {
        throw new IllegalArgumentException("the route " + match + " is there already");
      }
      routes.put(match, policy);
      return this;
    }

    /** The clock by which keys are too old, the system's by default. */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /**
     * The budget from which bodies take the memory that comparing them as JSON needs, an eighth of
     * the heap by default.
     */
    public Builder memory(BodyMemory memory) {
      this.memory = memory;
      return this;
    }

    Builder background(Executor background) {
      this.background = background;
      return this;
    }

    Builder nanos(LongSupplier nanos) {
      this.nanos = nanos;
      return this;
    }

    public HttpGuard build() {
      return new HttpGuard(this);
    }
  }
}
