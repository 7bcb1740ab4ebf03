// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * A digest of what a caller proved itself with. It is recorded beside the answer, in an attribute
 * that is not a header, and only a request with the same one gets the answer again.
 */
record Credential(String digest) {
  private static final String NAME = Outcome.OWN + "credential";

  /** Returns {@code outcome} with this credential. */
  Outcome on(Outcome outcome) {
    List<Attribute> attributes = new ArrayList<>(outcome.attributes());
    attributes.removeIf(each -> each.name().equals(NAME));
    attributes.add(new Attribute(NAME, digest));
    return new Outcome(
        outcome.kind(), outcome.status(), attributes, outcome.body(), outcome.isKept());
  }

  /** Returns whether an outcome was recorded with this credential, in constant time. */
  boolean isOn(Outcome outcome) {
    byte[] own = digest.getBytes(StandardCharsets.UTF_8);
    return outcome.attributes().stream()
        .filter(each -> each.name().equals(NAME))
        .anyMatch(
            each -> MessageDigest.isEqual(each.value().getBytes(StandardCharsets.UTF_8), own));
  }

  @Override
  public String toString() {
    return "Credential";
  }
}
