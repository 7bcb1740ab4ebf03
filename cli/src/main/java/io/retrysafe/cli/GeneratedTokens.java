// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Tokens;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of the admin API that the command generates because none are configured. A terminal shows
 * them. Without a terminal the output may end up in logs, so they go to a file that only its owner
 * can read; without such a file none are generated.
 */
final class GeneratedTokens {
  private final Tokens tokens;
  private final boolean isTerminal;

  private GeneratedTokens(Tokens tokens, boolean isTerminal) {
    this.tokens = tokens;
    this.isTerminal = isTerminal;
  }

  /** Generates tokens if there is a terminal or a file for them. */
  static GeneratedTokens create(GatewayConfig given, boolean isTerminal) {
    boolean canTell = isTerminal || given.tokenFile() != null;
    boolean isWanted = canTell && given.tokens().named().isEmpty();
    return new GeneratedTokens(isWanted ? Tokens.random() : Tokens.NONE, isTerminal);
  }

  Tokens tokens() {
    return tokens;
  }

  /**
   * Prints or writes the generated tokens that are in use.
   *
   * @throws IllegalStateException if the file cannot be written
   */
  void tell(GatewayConfig config, PrintWriter out) {
    Map<String, String> used = new LinkedHashMap<>();
    add(used, "admin-token", tokens.admin(), config.tokens().admin());
    add(used, "viewer-token", tokens.viewer(), config.tokens().viewer());
    Path file = config.tokenFile();
    if (file != null && !used.isEmpty()) {
      write(file, used);
    }
    if (isTerminal) {
      used.forEach(
          (name, token) -> {
            String role = name.equals("admin-token") ? "operator  " : "viewer    ";
            out.println(role + token + " (this run's; yours: --" + name + ")");
          });
    } else if (file != null && !used.isEmpty()) {
      out.println("tokens    in " + file);
    }
  }

  private static void add(
      Map<String, String> used, String name, @Nullable String made, @Nullable String inUse) {
    if (made != null && Objects.equals(made, inUse)) {
      used.put(name, made);
    }
  }

  /** Replaces the file by a new one that other users cannot read at any time. */
  private static void write(Path file, Map<String, String> tokens) {
    StringBuilder text = new StringBuilder();
    tokens.forEach((name, token) -> text.append(name).append(": ").append(token).append('\n'));
    Path target = file.toAbsolutePath();
    try {
      // Created with mode 0600 on POSIX file systems.
      Path made = Files.createTempFile(target.getParent(), ".retrysafe", ".tokens");
      try {
        Files.writeString(made, text);
        Files.move(made, target, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(made);
      }
    } catch (IOException e) {
      throw new IllegalStateException("token-file " + file + " cannot be written: " + e, e);
    }
  }
}
