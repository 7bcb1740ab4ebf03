// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What this machine is called. */
final class HostName {
  private HostName() {}

  static String get() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "gateway";
    }
  }
}
