// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this machine. */
final class HostName {
  // Resolved once, because a name service may be slow.
  private static final String NAME = ask();

  private HostName() {}

  static String get() {
    return NAME;
  }

  private static String ask() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "gateway";
    }
  }
}
