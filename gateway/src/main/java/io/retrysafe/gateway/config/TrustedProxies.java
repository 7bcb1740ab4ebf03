// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.netty.util.NetUtil;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The networks of the proxies in front of a gateway. The gateway trusts only their forwarding
 * headers. *
 *
 * <p>IPv4 addresses that are mapped into IPv6 ({@code ::ffff:10.0.0.1}) equal the IPv4 addresses.
 * Host names are not allowed.
 */
public final class TrustedProxies {
  /** No proxies: every peer is a client. */
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  private static final String FORWARDED_FOR = "X-Forwarded-For";
  private static final int BYTE = 8;
  private static final int MAPPED_BYTES = 12;

  private final List<Network> networks;

  private TrustedProxies(List<Network> networks) {
    this.networks = List.copyOf(networks);
  }

  /**
   * Returns the proxies in some networks.
   *
   * @param networks addresses, such as {@code 10.1.2.3} or {@code ::1}, and networks, such as
   *     {@code 10.0.0.0/8} or {@code fd00::/8}
   * @throws IllegalArgumentException if one is not an address or a network
   */
  public static TrustedProxies of(List<String> networks) {
    return new TrustedProxies(networks.stream().map(Network::parse).toList());
  }

  public boolean isEmpty() {
    return networks.isEmpty();
  }

  /** Returns whether an address is that of one of these proxies. */
  public boolean isProxy(String address) {
    return !networks.isEmpty() && contains(bytes(address));
  }

  /** Returns whether the peer of a request's connection is one of these proxies. */
  public boolean isPeer(HttpServerRequest in) {
    return !networks.isEmpty() && contains(bytes(peer(in)));
  }

  /**
   * Returns the address of the client that a Vert.x request comes from. That is the peer or, if the
   * peer is a trusted proxy, the rightmost address in {@code X-Forwarded-For} that does not belong
   * to a trusted proxy. If there is no such address, it is the leftmost known proxy. Different
   * spellings of an address give the same text. The text is empty if the connection has no address.
   */
  public String client(HttpServerRequest in) {
    return client(peer(in), in.headers().getAll(FORWARDED_FOR));
  }

  String client(@Nullable String peer, List<String> forwardedFor) {
    byte @Nullable [] client = bytes(peer);
    if (!contains(client)) {
      return text(client);
    }
    List<String> hops = hops(forwardedFor);
    for (int i = hops.size() - 1; i >= 0; i--) {
      byte @Nullable [] hop = bytes(withoutPort(hops.get(i)));
      if (hop == null) {
        // Addresses further left were reported by a proxy whose address is unknown.
        break;
      }
      client = hop;
      if (!contains(hop)) {
        break;
      }
    }
    return text(client);
  }

  /** Returns the address of the peer of a request's connection; null if it has none. */
  public static @Nullable String peer(HttpServerRequest in) {
    SocketAddress remote = in.connection().remoteAddress(true);
    return remote == null ? null : remote.hostAddress();
  }

  private static List<String> hops(List<String> forwardedFor) {
    List<String> hops = new ArrayList<>();
    for (String line : forwardedFor) {
      for (String hop : line.split(",", -1)) {
        hops.add(hop.strip());
      }
    }
    return hops;
  }

  /** Some proxies report the port too: {@code 10.0.0.1:4711}, {@code [::1]:4711}. */
  private static String withoutPort(String hop) {
    int bracket = hop.indexOf(']');
    if (hop.startsWith("[") && bracket > 0) {
      return hop.substring(1, bracket);
    }
    int colon = hop.indexOf(':');
    return colon >= 0 && colon == hop.lastIndexOf(':') ? hop.substring(0, colon) : hop;
  }

  private boolean contains(byte @Nullable [] address) {
    if (address != null) {
      for (Network network : networks) {
        if (network.contains(address)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns the 4 or 16 bytes of an address; null if the text is not one. */
  private static byte @Nullable [] bytes(@Nullable String text) {
    byte[] bytes = text == null ? null : NetUtil.createByteArrayFromIpAddressString(text);
    return bytes == null || !isMapped(bytes) ? bytes : unmapped(bytes);
  }

  private static boolean isMapped(byte[] bytes) {
    if (bytes.length == 4) {
      return false;
    }
    for (int i = 0; i < MAPPED_BYTES; i++) {
      if (bytes[i] != (i < MAPPED_BYTES - 2 ? 0 : (byte) 0xff)) {
        return false;
      }
    }
    return true;
  }

  private static byte[] unmapped(byte[] bytes) {
    return new byte[] {bytes[12], bytes[13], bytes[14], bytes[15]};
  }

  private static String text(byte @Nullable [] address) {
    return address == null ? "" : NetUtil.bytesToIpAddress(address);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TrustedProxies proxies && networks.equals(proxies.networks);
  }

  @Override
  public int hashCode() {
    return networks.hashCode();
  }

  @Override
  public String toString() {
    return networks.toString();
  }

  /** The addresses that share the first {@code prefix} bits with {@code text}. */
  private record Network(String text, List<Byte> first, int prefix) {

    static Network parse(String text) {
      int slash = text.indexOf('/');
      String host = slash < 0 ? text : text.substring(0, slash);
      byte[] sent =
          host.indexOf('%') >= 0 ? null : NetUtil.createByteArrayFromIpAddressString(host);
      if (sent == null) {
        throw new IllegalArgumentException(
            "\"" + text + "\" is not an address or a network such as 10.0.0.0/8 or fd00::/8");
      }
      int prefix = slash < 0 ? sent.length * BYTE : prefix(text, slash, sent.length * BYTE);
      boolean isMapped = isMapped(sent) && prefix >= MAPPED_BYTES * BYTE;
      byte[] first = isMapped ? unmapped(sent) : sent;
      int bits = isMapped ? prefix - MAPPED_BYTES * BYTE : prefix;
      List<Byte> bytes = new ArrayList<>();
      for (int i = 0; i < first.length; i++) {
        int kept = first[i] & mask(bits, i);
        if (kept != (first[i] & 0xff)) {
          throw new IllegalArgumentException(
              "\"" + text + "\" has bits set after its prefix of " + prefix + " bits");
        }
        bytes.add(first[i]);
      }
      return new Network(text, bytes, bits);
    }

    private static int prefix(String text, int slash, int most) {
      String digits = text.substring(slash + 1);
      if (!digits.matches("[0-9]{1,3}") || Integer.parseInt(digits) > most) {
        throw new IllegalArgumentException(
            "the prefix of \"" + text + "\" must be a number from 0 to " + most);
      }
      return Integer.parseInt(digits);
    }

    /** Returns the bits of byte {@code index} that belong to a prefix. */
    private static int mask(int prefix, int index) {
      int bits = Math.max(0, Math.min(BYTE, prefix - index * BYTE));
      return (0xff << (BYTE - bits)) & 0xff;
    }

    boolean contains(byte[] address) {
      if (address.length != first.size()) {
        return false;
      }
      for (int i = 0; i < address.length; i++) {
        if (((address[i] ^ first.get(i)) & mask(prefix, i)) != 0) {
          return false;
        }
      }
      return true;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
