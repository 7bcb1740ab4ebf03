// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.netty.util.NetUtil;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the connections or requests of each client. A client is an IPv4 address or a /64 network
 * of IPv6, the smallest that providers assign.
 */
public final class ClientCounts {
  private static final int PREFIX = 8;

  private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

  /** Returns the client that an address belongs to. */
  public static String of(String address) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    if (bytes == null || bytes.length == 4) {
      return address;
    }
    byte[] network = Arrays.copyOf(Arrays.copyOf(bytes, PREFIX), bytes.length);
    return NetUtil.bytesToIpAddress(network) + "/64";
  }

  /** Counts one more if the client has fewer than {@code most}; returns whether it did. */
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

  /** Returns how many clients are counted. */
  public int size() {
    return counts.size();
  }
}
