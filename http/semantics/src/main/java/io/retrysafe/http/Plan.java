// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Policy;
import io.retrysafe.Scope;
import io.retrysafe.http.body.BodySpool;
import io.retrysafe.http.settings.Settings;
import org.jspecify.annotations.Nullable;

/** The plan for a request, made from its head. */
public sealed interface Plan {

  /** The request is not guarded: the handler answers it. */
  record PassThrough() implements Plan {}

  /** The request is refused: this is its answer. Its body need not be read. */
  record Refused(Answer answer) implements Plan {}

  /**
   * The request is guarded: read its body to the end, then begin. Nothing is claimed meanwhile, so
   * a slow body holds nothing.
   */
  final class ReadBody implements Plan {
    private final Route route;
    private final RequestHead head;
    private final Scope scope;
    private final @Nullable String key;
    private final @Nullable Credential credential;
    private final ReplayCheck check;
    private final @Nullable HttpLookup lookup;

    ReadBody(Route route, RequestHead head, Scope scope, @Nullable String key) {
      this.route = route;
      this.head = head;
      this.scope = scope;
      this.key = key;
      this.credential = null;
      this.check = ReplayChecks.ALLOW_ALL;
      this.lookup = null;
    }

    private ReadBody(
        ReadBody from,
        @Nullable Credential credential,
        ReplayCheck check,
        @Nullable HttpLookup lookup) {
      this.route = from.route;
      this.head = from.head;
      this.scope = from.scope;
      this.key = from.key;
      this.credential = credential;
      this.check = check;
      this.lookup = lookup;
    }

    /**
     * Returns this plan for a caller whose account does not prove who it is. The answer is recorded
     * with {@code digest}, and replayed only to requests with the same one; others get {@code
     * replay-refused}, also where the answer was recorded without one.
     *
     * @param digest of what the caller proves itself with, made with a secret
     */
    public ReadBody credential(String digest) {
      return new ReadBody(this, new Credential(digest), check, lookup);
    }

    /** Returns this plan for a caller about whom {@code check} is asked before a replay. */
    public ReadBody check(ReplayCheck check) {
      return new ReadBody(this, credential, check, lookup);
    }

    /**
     * Returns this plan with a lookup: it is asked what became of an operation whose outcome is
     * unknown, instead of what the route's recovery says.
     */
    public ReadBody lookup(HttpLookup lookup) {
      return new ReadBody(this, credential, check, lookup);
    }

    /** Returns the route. */
    public Route route() {
      return route;
    }

    /** Returns a spool with the route's limits, to take the body in while it arrives. */
    public BodySpool spool() {
      HttpPolicy policy = route.policy();
      return BodySpool.create(policy.get(Settings.BODY_MEMORY), policy.get(Settings.BODY_LIMIT));
    }

    /** Returns the answer if the spool refused the body. */
    public Answer bodyTooLarge() {
      return route.answers().tooLarge();
    }

    RequestHead head() {
      return head;
    }

    Scope scope() {
      return scope;
    }

    ReplayCheck check() {
      return check;
    }

    /** Returns the policy of the operation. */
    Policy policy() {
      Policy policy = route.enginePolicy();
      return lookup == null ? policy : policy.recovery(lookup.recovery(this));
    }

    /** Returns what the caller proves itself with; null where its account proves it. */
    @Nullable Credential credential() {
      return credential;
    }

    /** Returns the caller's key; null where it is made from the request. */
    @Nullable String key() {
      return key;
    }
  }
}
