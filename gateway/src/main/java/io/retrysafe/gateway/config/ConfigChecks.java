// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.retrysafe.http.settings.Anonymous;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Checks of a configuration, of single values and of values that must fit together. Each throws
 * {@link IllegalArgumentException} with what is wrong.
 */
final class ConfigChecks {
  private ConfigChecks() {}

  static void upstream(URI url) {
    String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
    boolean isPlain =
        (url.getRawPath() == null || url.getRawPath().isEmpty() || url.getRawPath().equals("/"))
            && url.getRawQuery() == null
            && url.getRawFragment() == null
            && url.getRawUserInfo() == null;
    if (!(scheme.equals("http") || scheme.equals("https")) || url.getHost() == null || !isPlain) {
      throw new IllegalArgumentException(
          "an upstream is http:// or https://, a host and a port, was "
              + url.toString().replaceAll("//.*@", "//…@"));
    }
  }

  static void name(String name) {
    if (name.isBlank() || name.length() > 60 || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("a name has 1 to 60 characters on one line");
    }
  }

  static void hostName(String name) {
    if (!name.matches("[A-Za-z0-9_.-]{1,253}")) {
      throw new IllegalArgumentException("\"" + name + "\" is not a host name without a port");
    }
  }

  /**
   * Returns what callers without identity get; it must be set unless only this machine connects.
   */
  static Anonymous anonymous(@Nullable Anonymous configured, Listen listen) {
    if (configured != null) {
      return configured;
    }
    if (!listen.isLoopback()) {
      throw new IllegalArgumentException(
          "anonymous must be refuse or shared, because "
              + listen
              + " can be reached from other machines: say what callers without identity get");
    }
    return Anonymous.SHARED;
  }

  /** Checks that a header that names an account cannot come from any peer by accident. */
  static void accountHeaders(
      List<String> headers, Listen listen, TrustedProxies proxies, boolean isEveryPeerTrusted) {
    if (headers.isEmpty()) {
      return;
    }
    if (isEveryPeerTrusted && !proxies.isEmpty()) {
      throw new IllegalArgumentException(
          "account-header-trusted lets every peer set "
              + headers
              + ", trusted-proxies only some: leave one of them out");
    }
    if (!isEveryPeerTrusted && proxies.isEmpty() && !listen.isLoopback()) {
      throw new IllegalArgumentException(
          "account is what "
              + headers
              + " says, and "
              + listen
              + " can be reached from other machines: set trusted-proxies to the networks of the"
              + " proxies that set it, or account-header-trusted: true if nobody else can connect");
    }
  }
}
