// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The scripts: one for each step that must be atomic. */
enum Script {
  CLAIM(ScriptOutputType.MULTI),
  COMPLETE(ScriptOutputType.INTEGER),
  RELEASE(ScriptOutputType.INTEGER),
  RENEW(ScriptOutputType.INTEGER),
  STEP(ScriptOutputType.INTEGER),
  FIND(ScriptOutputType.MULTI),
  RESOLVE(ScriptOutputType.VALUE),
  APPEND(ScriptOutputType.INTEGER),
  HISTORY(ScriptOutputType.MULTI);

  private final ScriptOutputType output;
  private final byte[] text;
  private final String digest;

  Script(ScriptOutputType output) {
    this.output = output;
    String both = read("common") + "\n" + read(name().toLowerCase(Locale.ROOT));
    this.text = both.getBytes(StandardCharsets.UTF_8);
    this.digest = sha1(text);
  }

  ScriptOutputType output() {
    return output;
  }

  /** Returns the text itself, which nobody changes. */
  byte[] text() {
    return text;
  }

  /** Returns what a server that has met the script knows it by. */
  String digest() {
    return digest;
  }

  private static String sha1(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  private static String read(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("the script " + name + ".lua is missing in this jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
