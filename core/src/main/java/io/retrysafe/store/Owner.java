// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;

/** Who holds a claim: the key and the token that it was claimed with. */
public record Owner(OperationKey key, Token token) {
  /**
   * Returns the hash of the token alone: it differs for nearly all owners and is cheaper than the
   * key's.
   */
  @Override
  public int hashCode() {
    return token.hashCode();
  }
}
