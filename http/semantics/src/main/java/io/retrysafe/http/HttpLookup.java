// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Bytes;
import io.retrysafe.Lookup;
import io.retrysafe.Operation;
import io.retrysafe.Outcome;
import io.retrysafe.Recovery;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Asks a service over HTTP what became of an operation whose outcome is unknown. An answer of 2xx
 * is the operation's and is recorded as such; 404 means that it never happened, so it runs;
 * anything else, or none, leaves it parked.
 *
 * @param after how long after the outcome became unknown the service is asked at the earliest
 * @param service who is asked
 */
public record HttpLookup(Duration after, Service service) {

  /** Who is asked. */
  @FunctionalInterface
  public interface Service {
    /**
     * Returns what the service will have said of the operation, within bounds of its own. The store
     * is asked in the thread that completes it.
     */
    CompletionStage<Found> ask(Operation operation) throws Exception;
  }

  /** What the service said. */
  public record Found(int status, List<Header> headers, Bytes body) {
    public Found {
      headers = List.copyOf(headers);
    }
  }

  Recovery recovery(Plan.ReadBody plan) {
    return Recovery.reconcile(
        operation ->
            new Lookup.Later(service.ask(operation).thenApply(found -> finding(plan, found))),
        after);
  }

  private static Lookup.Finding finding(Plan.ReadBody plan, Found found) {
    if (found.status() >= 200 && found.status() < 300) {
      List<Outcome.Attribute> attributes = plan.route().storedHeaders().attributes(found.headers());
      Outcome outcome = Outcome.of(found.status(), attributes, found.body());
      // The service was asked with the caller's own credential, and answered it.
      Credential credential = plan.credential();
      return new Lookup.Happened(credential == null ? outcome : credential.on(outcome));
    }
    return found.status() == 404 ? new Lookup.DidNotHappen() : new Lookup.CannotTell();
  }
}
