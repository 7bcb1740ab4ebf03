// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.Retrysafe;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.ExpiredKeys;
import io.retrysafe.http.settings.FingerprintRule;
import io.retrysafe.http.settings.KeyRule;
import io.retrysafe.http.settings.OnFailure;
import io.retrysafe.http.settings.Statuses;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an instance under test is made of.
 *
 * @param store the store that it uses
 * @param application what it does
 */
public record Setup(Store store, Application application) {
  /** The request header that stands for the authenticated caller. */
  public static final String ACCOUNT = "X-Account";

  /** The most that is kept of an answer. */
  static final int ANSWER_LIMIT = 16 * 1024;

  /** The largest request body. */
  static final int BODY_LIMIT = 256 * 1024;

  /** How much of a request body is held in memory. */
  static final int BODY_MEMORY = 16 * 1024;

  /** How many operations of an account run at once in an instance. */
  static final int RUNNING_PER_ACCOUNT = 12;

  /** Returns what holds for all routes. */
  public HttpPolicy policy() {
    return HttpPolicy.create()
        .anonymous(Anonymous.REFUSE)
        .answerLimit(ANSWER_LIMIT)
        .bodyLimit(BODY_LIMIT)
        .bodyMemory(BODY_MEMORY)
        .runningPerAccount(RUNNING_PER_ACCOUNT);
  }

  /** Returns the routes and what is different there, in order. */
  public Map<String, HttpPolicy> routes() {
    HttpPolicy policy = HttpPolicy.create();
    Map<String, HttpPolicy> routes = new LinkedHashMap<>();
    routes.put("/payments", policy);
    routes.put("/refunds/{id}", policy);
    routes.put("/json", policy.fingerprint(FingerprintRule.json()));
    routes.put("/waiting", policy.wait(Duration.ofSeconds(20)));
    routes.put("/released", policy.failures(OnFailure.RELEASE));
    routes.put("/doubtful", policy.failures(OnFailure.UNKNOWN));
    routes.put("/statuses", policy.refused(Statuses.of(404)).unknown(Statuses.of(502)));
    routes.put("/natural", policy.key(KeyRule.from("/order/id")));
    routes.put("/early", policy.inProgressStatus(425).keyReusedStatus(400));
    routes.put("/dated", policy.expiredKeys(ExpiredKeys.REFUSE));
    return routes;
  }

  /** Returns an engine of its own on the store. */
  public Retrysafe engine() {
    return Retrysafe.builder(store)
        .storeDeadline(Duration.ofSeconds(1))
        .sweepEvery(Duration.ZERO)
        .build();
  }

  /** Returns a guard on {@code engine} with all routes, for adapters that take one. */
  public HttpGuard guard(Retrysafe engine) {
    HttpGuard.Builder builder = HttpGuard.builder(engine).policy(policy());
    routes().forEach(builder::route);
    return builder.build();
  }
}
