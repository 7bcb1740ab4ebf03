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
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The scripts. Each takes one kind of step on many entries and answers for each of them. */
@SuppressWarnings("ImmutableEnumChecker") // Its arrays and functions never change.
enum Script {
  CLAIM(Replies::isClaim, "common", "claim"),
  COMPLETE(Replies::isFlag, "common", "complete"),
  RELEASE(Replies::isFlag, "common", "release"),
  RENEW(Replies::isFlag, "common", "renew"),
  STEP(Replies::isStep, "common", "step"),
  FIND(Replies::isFound, "common", "find"),
  RESOLVE(Replies::isResolved, "common", "resolve"),
  USAGE(Replies::isUsage, "common", "usage"),
  HISTORY(Replies::isHistory, "common", "history"),
  APPEND(Replies::isFlag, "common", "append"),
  AUDIT(Replies::isFlag, "audit"),
  KEEP(Replies::isBytes, "keep"),
  COPY(Replies::isBytesOrNone, "copy");

  private final Predicate<Object> answers;
  private final byte[] text;
  private final byte[] digest;

  Script(Predicate<Object> answers, String... files) {
    this.answers = answers;
    this.text =
        Arrays.stream(files)
            .map(Script::read)
            .collect(Collectors.joining("\n", "", "\n" + read("each")))
            .getBytes(StandardCharsets.UTF_8);
    this.digest = EntryKeys.ascii(sha1(text));
  }

  /** Returns whether a step of the script can answer this. */
  boolean canAnswer(Object answer) {
    return answers.test(answer);
  }

  /** Returns whether answers may hold an outcome, so that the script's first argument limits it. */
  boolean hasOutcomes() {
    return this == CLAIM || this == FIND || this == COPY;
  }

  /**
   * Sends the script.
   *
   * @param isFullText whether to send the text instead of its digest
   */
  RedisFuture<List<Object>> send(
      StatefulConnection<byte[], byte[]> connection,
      boolean isFullText,
      List<byte[]> keys,
      List<byte[]> arguments) {
    byte[][] words = new byte[2 + keys.size() + arguments.size()][];
    words[0] = isFullText ? text : digest;
    words[1] = Micros.digits(keys.size());
    int next = 2;
    for (byte[] key : keys) {
      words[next++] = key;
    }
    for (byte[] argument : arguments) {
      words[next++] = argument;
    }
    return new AtMostOnceCommand<>(
            isFullText ? CommandType.EVAL : CommandType.EVALSHA,
            new NestedMultiOutput<>(ByteArrayCodec.INSTANCE),
            keys.get(0),
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
