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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The scripts: one for each step that must be atomic.
 *
 * @param <T> what a script answers
 */
final class Script<T> {
  static final Script<List<Object>> CLAIM = each("claim");
  static final Script<List<Object>> COMPLETE = each("complete");
  static final Script<List<Object>> RELEASE = each("release");
  static final Script<List<Object>> RENEW = each("renew");
  static final Script<List<Object>> STEP = each("step");
  static final Script<List<Object>> FIND = each("find");
  static final Script<byte[]> RESOLVE = new Script<>(ScriptOutputType.VALUE, "common", "resolve");
  static final Script<Long> APPEND = new Script<>(ScriptOutputType.INTEGER, "common", "append");
  static final Script<List<Object>> HISTORY =
      new Script<>(ScriptOutputType.MULTI, "common", "history");

  private final ScriptOutputType output;
  private final byte[] text;
  private final String digest;

  private Script(ScriptOutputType output, String... parts) {
    this.output = output;
    this.text =
        Arrays.stream(parts)
            .map(Script::read)
            .collect(Collectors.joining("\n"))
            .getBytes(StandardCharsets.UTF_8);
    this.digest = sha1(text);
  }

  /** Returns a script that takes its step on each of many entries, and answers for each. */
  private static Script<List<Object>> each(String name) {
    return new Script<>(ScriptOutputType.MULTI, "common", name, "each");
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

  /** Returns how calls on entries, in one slot each, are put to the server in batches. */
  static Batch.Wire wire(
      Script<List<Object>> script,
      RedisClusterAsyncCommands<byte[], byte[]> commands,
      byte[]... fixed) {
    return (calls, inFull) -> {
      List<byte[]> keys = new ArrayList<>(2 * calls.size());
      List<byte[]> arguments = new ArrayList<>(fixed.length + 4 * calls.size());
      Collections.addAll(arguments, fixed);
      for (Call call : calls) {
        Collections.addAll(keys, call.keys());
        Collections.addAll(arguments, call.arguments());
      }
      byte[][] allKeys = keys.toArray(byte[][]::new);
      byte[][] allArguments = arguments.toArray(byte[][]::new);
      return inFull
          ? script.sendText(commands, allKeys, allArguments)
          : script.sendDigest(commands, allKeys, allArguments);
    };
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
