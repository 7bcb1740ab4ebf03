// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;

/** Who holds a claim: the key and the token that it was claimed with. */
public record Owner(OperationKey key, Token token) {
  /** Of the token alone, which tells nearly all owners apart and takes less than the key's. */
  @Override
  public int hashCode() {
    return token.hashCode();
  }
}
