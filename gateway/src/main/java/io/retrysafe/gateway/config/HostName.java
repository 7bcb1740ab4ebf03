// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What this machine is called. */
final class HostName {
  // Asked once: it may take a while where names are looked up elsewhere.
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
