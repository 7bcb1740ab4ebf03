// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A set of response statuses, for {@code refused} and {@code unknown}. */
public final class Statuses {
  private static final Statuses NONE = new Statuses(Set.of(), false);
  private static final Statuses REFUSED_BY_DEFAULT =
      new Statuses(Set.of(400, 401, 403, 413, 415, 422, 425, 429), true);

  private final Set<Integer> codes;
  private final boolean hasBusy;

  private Statuses(Set<Integer> codes, boolean hasBusy) {
    this.codes = codes;
    this.hasBusy = hasBusy;
  }

  /** Returns exactly these statuses. */
  public static Statuses of(Integer... codes) {
    return of(Set.of(codes));
  }

  private static Statuses of(Set<Integer> codes) {
    for (int code : codes) {
      if (code < 200 || code > 599) {
        throw new IllegalArgumentException("a final status is 200 to 599, was " + code);
      }
    }
    return new Statuses(codes, false);
  }

  /** Returns no status. */
  public static Statuses none() {
    return NONE;
  }

  /**
   * Returns what says "refused before any effect" unless a route says otherwise: 400, 401, 403,
   * 413, 415, 422, 425, 429, and 503 with {@code Retry-After}.
   */
  public static Statuses refusedByDefault() {
    return REFUSED_BY_DEFAULT;
  }

  static Statuses read(Object value) {
    if (value instanceof Statuses statuses) {
      return statuses;
    }
    return of(
        SettingReader.list(value).stream().map(SettingReader::count).collect(Collectors.toSet()));
  }

  /** Returns whether a response with this status is meant. */
  public boolean contains(int status, boolean hasRetryAfter) {
    return codes.contains(status) || (hasBusy && status == 503 && hasRetryAfter);
  }

  @Override
  public String toString() {
    return new TreeSet<>(codes) + (hasBusy ? " and 503 with Retry-After" : "");
  }
}
