// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.LengthPrefixed;
import io.retrysafe.internal.UnicodeText;

/**
 * What makes two requests the same request.
 *
 * @param recipe how the digest was made, such as {@code raw-1}; digests of different recipes are
 *     never compared
 * @param digest the digest, at most 64 bytes
 */
public record Fingerprint(String recipe, Bytes digest) {
  private static final int LONGEST_RECIPE = 32;
  private static final int LARGEST_DIGEST = 64;

  /** The fingerprint of callers that do not want requests compared. */
  public static final Fingerprint NONE = new Fingerprint("none", Bytes.EMPTY);

  public Fingerprint {
    if (recipe.isEmpty()
        || recipe.length() > LONGEST_RECIPE
        || recipe.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "a recipe is 1 to "
              + LONGEST_RECIPE
              + " visible ASCII characters, was \""
              + recipe
              + '"');
    }
    if (digest.size() > LARGEST_DIGEST) {
      throw new IllegalArgumentException(
          "a digest has at most " + LARGEST_DIGEST + " bytes, this one has " + digest.size());
    }
  }

  /** Returns the SHA-256 fingerprint of {@code parts}, which cannot run into each other. */
  public static Fingerprint sha256(String recipe, Bytes... parts) {
    byte[][] arrays = new byte[parts.length][];
    for (int i = 0; i < parts.length; i++) {
      arrays[i] = parts[i].toArray();
    }
    return new Fingerprint(recipe, Bytes.wrap(LengthPrefixed.sha256(LengthPrefixed.join(arrays))));
  }

  /**
   * Returns the fingerprint of some text, for calls that are not HTTP requests.
   *
   * @throws IllegalArgumentException if a part is not well-formed Unicode: it would look like
   *     another text
   */
  public static Fingerprint ofText(String... parts) {
    Bytes[] bytes = new Bytes[parts.length];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] = Bytes.utf8(UnicodeText.checked("a part of a fingerprint", parts[i]));
    }
    return sha256("text-1", bytes);
  }

  /** Returns whether both were made the same way, so that comparing them means something. */
  public boolean isComparableTo(Fingerprint other) {
    return recipe.equals(other.recipe);
  }

  /** Names the recipe only: a digest of a short body would give the body away. */
  @Override
  public String toString() {
    return "Fingerprint[" + recipe + ']';
  }
}
