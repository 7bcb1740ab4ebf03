// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.account.JwtRule;
import java.util.List;

/** Reads {@code account}. */
final class AccountReader {
  private AccountReader() {}

  static AccountResolver read(ConfigDirectory directory, ConfigValue value) {
    if (value instanceof ConfigValue.Members members) {
      return read(directory, members);
    }
    return switch (value.text()) {
      case "authorization" -> AccountResolver.authorization();
      case "none" -> AccountResolver.none();
      default -> throw new IllegalArgumentException("no other word is allowed");
    };
  }

  private static AccountResolver read(ConfigDirectory directory, ConfigValue.Members members) {
    if (members.values().containsKey("header")) {
      members.only("an account by header", List.of("header"));
      return AccountResolver.header(headerName(members.required("header")));
    }
    if (members.values().containsKey("basic")) {
      members.only("an account by basic", List.of("basic"));
      if (!members.required("basic").equals("user")) {
        throw new IllegalArgumentException("basic takes user only");
      }
      return AccountResolver.basicUser();
    }
    members.only("an account", List.of("jwt", "keys", "issuer", "audience", "header", "basic"));
    return AccountResolver.jwt(
        new JwtRule(
            members.required("jwt"),
            directory.file(members, "keys"),
            members.required("issuer"),
            members.required("audience")));
  }

  private static String headerName(String name) {
    if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+")) {
      throw new IllegalArgumentException("not a header name");
    }
    return name;
  }
}
