// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** The scripts: one for each step that must be atomic. */
final class Script {
  static final Script CLAIM = each("claim");
  static final Script COMPLETE = each("complete");
  static final Script RELEASE = each("release");
  static final Script RENEW = each("renew");
  static final Script STEP = each("step");
  static final Script FIND = each("find");
  static final Script RESOLVE = each("resolve");
  static final Script HISTORY = each("history");
  static final Script APPEND = new Script("common", "append");
  static final Script KEEP = new Script("keep", "each");
  static final Script COPY = new Script("copy", "each");

  private final byte[] text;
  private final byte[] digest;

  private Script(String... parts) {
    this.text =
        Arrays.stream(parts)
            .map(Script::read)
            .collect(Collectors.joining("\n"))
            .getBytes(StandardCharsets.UTF_8);
    this.digest = Name.ascii(sha1(text));
  }

  /** Returns a script that takes its step on each of many entries, and answers for each. */
  private static Script each(String name) {
    return new Script("common", name, "each");
  }

  /**
   * Sends the script.
   *
   * @param inFull whether to send its text, not only the digest that a server knows it by
   */
  RedisFuture<List<Object>> send(
      StatefulConnection<byte[], byte[]> connection,
      boolean inFull,
      byte[][] keys,
      byte[][] arguments) {
    byte[][] words = new byte[2 + keys.length + arguments.length][];
    words[0] = inFull ? text : digest;
    words[1] = Micros.digits(keys.length);
    System.arraycopy(keys, 0, words, 2, keys.length);
    System.arraycopy(arguments, 0, words, 2 + keys.length, arguments.length);
    return new AtMostOnceCommand<>(
            inFull ? CommandType.EVAL : CommandType.EVALSHA,
            new NestedMultiOutput<>(ByteArrayCodec.INSTANCE),
            keys[0],
            words)
        .send(connection);
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
