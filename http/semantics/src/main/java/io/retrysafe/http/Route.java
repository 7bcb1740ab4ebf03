// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Policy;
import io.retrysafe.http.internal.syntax.KeySource;
import io.retrysafe.http.settings.Settings;
import java.util.List;

/**
 * Requests that are guarded alike. Made once by {@link HttpGuard#route}; it remembers how long its
 * handler usually takes.
 */
public final class Route {
  private final String name;
  private final HttpPolicy policy;
  private final Policy enginePolicy;
  private final Fingerprints fingerprints;
  private final StoredHeaders storedHeaders;
  private final List<KeySource> naturalKey;
  private final RouteTimes times = new RouteTimes();
  private final Answers answers;

  Route(String name, HttpPolicy policy) {
    this.name = name;
    this.policy = policy;
    this.enginePolicy = policy.toEngine();
    this.fingerprints =
        new Fingerprints(
            policy.get(Settings.FINGERPRINT), policy.get(Settings.FINGERPRINT_HEADERS));
    this.naturalKey = policy.get(Settings.KEY).sources().stream().map(KeySource::parse).toList();
    this.storedHeaders = new StoredHeaders(policy.get(Settings.NEVER_STORED));
    this.answers = new Answers(policy, times);
  }

  /** Returns what people call it, such as {@code POST /payments}. */
  public String name() {
    return name;
  }

  /** Returns the name of the request header that carries the key. */
  public String keyHeader() {
    return policy.get(Settings.KEY_HEADER);
  }

  /** Returns how it is guarded, with nothing left open. */
  public HttpPolicy policy() {
    return policy;
  }

  Policy enginePolicy() {
    return enginePolicy;
  }

  Fingerprints fingerprints() {
    return fingerprints;
  }

  List<KeySource> naturalKey() {
    return naturalKey;
  }

  StoredHeaders storedHeaders() {
    return storedHeaders;
  }

  Answers answers() {
    return answers;
  }

  RouteTimes times() {
    return times;
  }

  @Override
  public String toString() {
    return name;
  }
}
