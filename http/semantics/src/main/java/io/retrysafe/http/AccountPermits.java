// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.concurrent.ConcurrentHashMap;

/** Counts what is under way for each account, so that one of them cannot take everything. */
final class AccountPermits {
  private final ConcurrentHashMap<String, Integer> byAccount = new ConcurrentHashMap<>();
  private final int most;

  AccountPermits(int most) {
    this.most = most;
  }

  boolean take(String account) {
    boolean[] taken = {false};
    byAccount.compute(
        account,
        (key, count) -> {
          int before = count == null ? 0 : count;
          taken[0] = before < most;
          return taken[0] ? Integer.valueOf(before + 1) : count;
        });
    return taken[0];
  }

  void giveBack(String account) {
    byAccount.computeIfPresent(account, (key, count) -> count <= 1 ? null : count - 1);
  }
}
