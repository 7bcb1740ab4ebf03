// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Bytes;
import io.retrysafe.EventLoop;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A guard on a store in memory whose clocks stand still, and that can be made to fall silent. */
final class World implements AutoCloseable {
  /** A loop that does everything in the calling thread. */
  static final EventLoop LOOP = new EventLoop(Runnable::run, Runnable::run);

  static final Header JSON = new Header("Content-Type", "application/json");

  Instant now = Instant.parse("2026-11-15T12:00:00Z");
  final AtomicLong nanos = new AtomicLong();
  volatile boolean isSilent;
  int claims;
  final Store store = new Switch(MemoryStore.builder().clock(() -> now).build());
  final Retrysafe engine =
      Retrysafe.builder(store)
          .storeDeadline(Duration.ofMillis(50))
          .sweepEvery(Duration.ZERO)
          .build();
  final HttpGuard guard;

  World(HttpPolicy all, Map<String, HttpPolicy> routes) {
    HttpGuard.Builder builder =
        HttpGuard.builder(engine).policy(all).clock(() -> now).nanos(nanos::get);
    routes.forEach(builder::route);
    this.guard = builder.build();
  }

  /** A world with one route. */
  static World of(HttpPolicy policy) {
    return new World(HttpPolicy.create(), Map.of("/payments", policy));
  }

  static World create() {
    return of(HttpPolicy.create());
  }

  static String freshKey() {
    return UUID.randomUUID().toString();
  }

  static RequestHead post(String key, Header... more) {
    return request("POST", key, more);
  }

  static RequestHead request(String method, @Nullable String key, Header... more) {
    List<Header> headers = new ArrayList<>(List.of(more));
    if (key != null) {
      headers.add(new Header("Idempotency-Key", key));
    }
    return RequestHead.of(method, "/payments", null, headers, "merchant_7");
  }

  Plan.ReadBody planned(RequestHead head) {
    Plan plan = guard.plan(head);
    if (plan instanceof Plan.ReadBody readBody) {
      return readBody;
    }
    throw new AssertionError(plan);
  }

  Answer refused(RequestHead head) {
    if (guard.plan(head) instanceof Plan.Refused refused) {
      return refused.answer();
    }
    throw new AssertionError("was not refused");
  }

  BeginResult begin(RequestHead head, String body) {
    return guard.begin(planned(head), RequestBody.of(Bytes.utf8(body)));
  }

  Exchange run(RequestHead head, String body) {
    BeginResult begun = begin(head, body);
    if (begun instanceof BeginResult.Run run) {
      return run.exchange();
    }
    throw new AssertionError(begun);
  }

  Answer answered(RequestHead head, String body) {
    BeginResult begun = begin(head, body);
    if (begun instanceof BeginResult.Answered answered) {
      return answered.answer();
    }
    throw new AssertionError(begun);
  }

  /** Lets a request run and end with {@code status}, and returns what its retry gets. */
  BeginResult afterStatus(int status, Header... headers) {
    String key = freshKey();
    run(post(key), "b").answered(status, List.of(headers), Bytes.utf8("body"));
    return begin(post(key), "b");
  }

  static Map<String, Json> problem(Answer answer) {
    return Vectors.members(Vectors.json(answer.body().toArray()));
  }

  static String member(Answer answer, String name) {
    Json json = problem(answer).get(name);
    return json == null ? "absent" : json.canonical();
  }

  static String type(Answer answer) {
    return member(answer, "type").replace("\"", "").replace("urn:retrysafe:problem:", "");
  }

  @Override
  public void close() {
    engine.close();
  }

  private final class Switch implements Store {
    private final Store store;

    Switch(Store store) {
      this.store = store;
    }

    private <T> T ask(Supplier<T> call) {
      if (isSilent) {
        throw new NoAnswerException("silent", null);
      }
      return call.get();
    }

    @Override
    public ClaimResult claim(Claim claim) {
      claims++;
      return ask(() -> store.claim(claim));
    }

    @Override
    public boolean complete(Owner owner, Outcome outcome, Duration retention) {
      return ask(() -> store.complete(owner, outcome, retention));
    }

    @Override
    public boolean release(Owner owner, Release how) {
      return ask(() -> store.release(owner, how));
    }

    @Override
    public Set<Owner> renew(Set<Owner> owners, Duration lease) {
      return ask(() -> store.renew(owners, lease));
    }

    @Override
    public Optional<Entry> find(OperationKey key) {
      return ask(() -> store.find(key));
    }

    @Override
    public Profile profile() {
      return store.profile();
    }
  }
}
