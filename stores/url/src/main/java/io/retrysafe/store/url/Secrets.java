// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The parts of an address that must not be printed, to be taken out of what drivers say. */
final class Secrets {
  private static final Pattern OPTION = Pattern.compile("(?i)[?&](?:user|\\w*pass\\w*)=([^&#]*)");

  private final List<String> secrets = new ArrayList<>();

  Secrets(StoreUrl url) {
    if (url.kind() != Kind.MEMORY && url.kind() != Kind.SQLITE) {
      collect(url);
    }
    // The longest first: one may be in the other.
    secrets.sort(Comparator.comparing(String::length).reversed());
  }

  private void collect(StoreUrl url) {
    add(url.secret().equals(url.toString()) ? null : url.secret());
    if (url.host() > 0) {
      String both = url.rest().substring(0, url.host() - 1);
      add(both);
      for (String each : both.split(":", 2)) {
        add(each);
        add(JdbcAddress.decoded(each));
      }
    }
    Matcher option = OPTION.matcher(url.rest());
    while (option.find()) {
      add(option.group(1));
      add(JdbcAddress.decoded(option.group(1)));
    }
  }

  private void add(@Nullable String secret) {
    if (secret != null && !secret.isEmpty()) {
      secrets.add(secret);
    }
  }

  /** Returns what {@code failure} says, and what its causes do, without secrets. */
  String told(Throwable failure) {
    String message = Optional.ofNullable(failure.getMessage()).orElse(failure.toString());
    Throwable root = failure;
    for (int i = 0; root.getCause() != null && i < 20; i++) {
      root = root.getCause();
    }
    String reason = Optional.ofNullable(root.getMessage()).orElse(root.toString());
    return masked(message.contains(reason) ? message : message + " (" + reason + ")");
  }

  String masked(String text) {
    String masked = text;
    for (String secret : secrets) {
      masked =
          masked.replaceAll(
              "(?<!\\w)" + Pattern.quote(secret) + "(?!\\w)", Matcher.quoteReplacement("***"));
    }
    return masked;
  }

  /** Returns {@code failure} as a cause, unless printing it would tell a secret. */
  @Nullable Throwable cause(Throwable failure) {
    Throwable each = failure;
    for (int i = 0; each != null && i < 20; i++) {
      String text = each.toString();
      if (!masked(text).equals(text) || each.getSuppressed().length > 0) {
        return null;
      }
      each = each.getCause();
    }
    return failure;
  }
}
