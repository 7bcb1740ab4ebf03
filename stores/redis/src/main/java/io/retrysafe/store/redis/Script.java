// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The scripts: one for each step that must be atomic.
 *
 * @param <T> what a script answers
 */
final class Script<T> {
  static final Script<List<Object>> CLAIM = new Script<>("claim", ScriptOutputType.MULTI);
  static final Script<Long> COMPLETE = new Script<>("complete", ScriptOutputType.INTEGER);
  static final Script<Long> RELEASE = new Script<>("release", ScriptOutputType.INTEGER);
  static final Script<Long> RENEW = new Script<>("renew", ScriptOutputType.INTEGER);
  static final Script<Long> STEP = new Script<>("step", ScriptOutputType.INTEGER);
  static final Script<List<Object>> FIND = new Script<>("find", ScriptOutputType.MULTI);
  static final Script<byte[]> RESOLVE = new Script<>("resolve", ScriptOutputType.VALUE);
  static final Script<Long> APPEND = new Script<>("append", ScriptOutputType.INTEGER);
  static final Script<List<Object>> HISTORY = new Script<>("history", ScriptOutputType.MULTI);

  private final ScriptOutputType output;
  private final byte[] text;
  private final String digest;

  private Script(String name, ScriptOutputType output) {
    this.output = output;
    String both = read("common") + "\n" + read(name);
    this.text = both.getBytes(StandardCharsets.UTF_8);
    this.digest = sha1(text);
  }

  /** Sends what a server that has met the script knows it by. */
  RedisFuture<T> sendDigest(
      RedisClusterAsyncCommands<byte[], byte[]> commands, byte[][] keys, byte[][] arguments) {
    return commands.evalsha(digest, output, keys, arguments);
  }

  /** Sends the script itself. */
  RedisFuture<T> sendText(
      RedisClusterAsyncCommands<byte[], byte[]> commands, byte[][] keys, byte[][] arguments) {
    return commands.eval(text, output, keys, arguments);
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
