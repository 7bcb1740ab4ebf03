// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A command that is sent at most once.
 *
 * <p>When a connection is lost, Lettuce sends the commands without a reply again on the next
 * connection, and reads the replies into the half-filled outputs of the first attempt. All kinds of
 * clients encode a command before they send it. If this command is encoded a second time, or after
 * its caller gave up, it encodes a {@code PING} instead, whose reply is ignored, and fails. Only a
 * redirection to another server of a cluster ({@code MOVED}, {@code ASK}) allows it to be encoded
 * again, because then the first server did not run it.
 *
 * @param <T> the type of the reply
 */
final class AtMostOnceCommand<T> extends AsyncCommand<byte[], byte[], T> {
  private static final byte[] PING = ascii("*1\r\n$4\r\nPING\r\n");
  private static final byte[] END = ascii("\r\n");

  private final byte[] name;
  private volatile byte @Nullable [][] words;
  private volatile boolean isSent;

  /**
   * Creates a command.
   *
   * @param key selects the server in a cluster; null for any server
   * @param words the arguments after the command's name
   */
  AtMostOnceCommand(
      CommandType type,
      CommandOutput<byte[], byte[], T> output,
      byte @Nullable [] key,
      byte[]... words) {
    super(new Command<>(type, output, route(key)));
    this.name = type.getBytes();
    this.words = words;
    // A failed command may stay in a queue of Lettuce; its arguments must not stay in memory.
    CompletableFuture<T> unused = whenComplete((answer, failure) -> this.words = null);
  }

  private static CommandArgs<byte[], byte[]> route(byte @Nullable [] key) {
    CommandArgs<byte[], byte[]> route = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    return key == null ? route : route.addKey(key);
  }

  /** Sends the command, which completes with its reply. */
  AtMostOnceCommand<T> send(StatefulConnection<byte[], byte[]> connection) {
    connection.dispatch(this);
    return this;
  }

  @Override
  public void encode(ByteBuf out) {
    byte[][] whole = words;
    if (isSent || whole == null || isDone()) {
      completeExceptionally(new RedisException("the connection was lost before the answer came"));
      out.writeBytes(PING);
      return;
    }
    isSent = true;
    out.writeByte('*').writeBytes(ascii(Integer.toString(whole.length + 1))).writeBytes(END);
    encode(out, name);
    for (byte[] word : whole) {
      encode(out, word);
    }
  }

  private static void encode(ByteBuf out, byte[] word) {
    out.writeByte('$').writeBytes(ascii(Integer.toString(word.length))).writeBytes(END);
    out.writeBytes(word).writeBytes(END);
  }

  /** Returns the output. The cluster client calls this to look for a redirection. */
  @Override
  public CommandOutput<byte[], byte[], T> getOutput() {
    CommandOutput<byte[], byte[], T> output = super.getOutput();
    if (isSent && output.hasError() && isRedirection(output.getError())) {
      isSent = false;
    }
    return output;
  }

  private static boolean isRedirection(String error) {
    return error.startsWith("MOVED ") || error.startsWith("ASK ");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
