// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.netty.util.NetUtil;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts what each client has under way. A client is an IPv4 address or the first 64 bits of an
 * IPv6 address, which is the least that a customer of a provider gets.
 */
public final class ClientCounts {
  private static final int PREFIX = 8;

  private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

  /** Returns by what an address is counted. */
  public static String of(String address) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    if (bytes == null || bytes.length == 4) {
      return address;
    }
    byte[] network = Arrays.copyOf(Arrays.copyOf(bytes, PREFIX), bytes.length);
    return NetUtil.bytesToIpAddress(network) + "/64";
  }

  /** Counts one more; returns whether there may be that many. If not, nothing is counted. */
  public boolean take(String client, int most) {
    boolean[] taken = {false};
    counts.compute(
        client,
        (key, count) -> {
          int before = count == null ? 0 : count;
          taken[0] = before < most;
          return taken[0] ? Integer.valueOf(before + 1) : count;
        });
    return taken[0];
  }

  public void giveBack(String client) {
    counts.computeIfPresent(client, (key, count) -> count <= 1 ? null : count - 1);
  }

  /** Returns how many clients have something under way. */
  public int size() {
    return counts.size();
  }
}
