// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.UnicodeText;
import java.util.List;

/**
 * What an operation answered, kept to answer its retries. For HTTP that is status, headers and
 * body; for a Java call the encoded result, or type and message of a failure.
 *
 * @param kind whether the operation succeeded or failed for good
 * @param status a number that means something to the adapter, such as an HTTP status; 0 where there
 *     is none
 * @param attributes named strings in order, names may repeat; HTTP headers for example. Those whose
 *     names begin with {@link #OWN} are the adapter's own and not part of the answer: they stay if
 *     the answer is not kept, and no caller gets them
 * @param body the answer's bytes
 * @param isKept whether attributes and body are the answer's; otherwise they were too large or
 *     already sent, and only kind and status are known
 */
public record Outcome(
    Kind kind, int status, List<Attribute> attributes, Bytes body, boolean isKept) {

  /** What the names of attributes begin with that are not part of the answer. */
  public static final String OWN = ":";

  /** Whether retries get an answer or an error. */
  public enum Kind {
    /** The operation answered. */
    FINAL,
    /** The operation failed for good: a retry gets the same error, a new try needs a new key. */
    FAILED
  }

  /** A named string of an outcome; both are well-formed Unicode. */
  public record Attribute(String name, String value) {
    public Attribute {
      UnicodeText.checked("the name of an outcome's attribute", name);
      UnicodeText.checked("the value of an outcome's attribute", value);
    }

    /** Returns whether it is the adapter's own and not part of the answer. */
    public boolean isOwn() {
      return name.startsWith(OWN);
    }
  }

  public Outcome {
    attributes = List.copyOf(attributes);
    if (!isKept && !(attributes.stream().allMatch(Attribute::isOwn) && body.isEmpty())) {
      throw new IllegalArgumentException(
          "an outcome whose answer is not kept has no attributes of it and no body");
    }
  }

  /** Returns a final outcome that is only a body. */
  public static Outcome of(Bytes body) {
    return new Outcome(Kind.FINAL, 0, List.of(), body, true);
  }

  /** Returns a final outcome with status, attributes and body. */
  public static Outcome of(int status, List<Attribute> attributes, Bytes body) {
    return new Outcome(Kind.FINAL, status, attributes, body, true);
  }

  /** Returns a failed outcome with status, attributes and body. */
  public static Outcome failed(int status, List<Attribute> attributes, Bytes body) {
    return new Outcome(Kind.FAILED, status, attributes, body, true);
  }

  /**
   * Returns this outcome without its answer, for one that is too large to keep or cannot be kept.
   */
  public Outcome withoutAnswer() {
    List<Attribute> own = attributes.stream().filter(Attribute::isOwn).toList();
    return new Outcome(kind, status, own, Bytes.EMPTY, false);
  }
}
