// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connection of HTTP/2 whose frames are written byte by byte: clients do not send what an
 * attacker sends. Headers are sent as they are, without compression.
 */
final class Http2Wire implements AutoCloseable {
  private static final int END_OF_STREAM = 1;
  private static final int END_OF_HEADERS = 4;
  private static final int PADDED = 8;
  private static final int HAS_PRIORITY = 0x20;

  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int PRIORITY = 2;
  private static final int RESET = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  private static final int GO_AWAY = 7;
  static final int CONTINUATION = 9;
  private static final int CANCEL = 8;
  static final int WINDOW_UPDATE = 8;
  private static final int WINDOW = 65_535;
  private static final int LARGEST_FRAME = 16_384;
  private static final List<Integer> STATIC_STATUSES = List.of(200, 204, 206, 304, 400, 404, 500);

  private final Socket socket;
  private final OutputStream out;
  private final DataInputStream in;
  private final Map<Integer, Wire.Reply> replies = new HashMap<>();
  private final Map<Integer, Integer> windows = new HashMap<>();
  private final Map<Integer, Wire.Reply> ended = new HashMap<>();
  private Wire.@Nullable Reply gone;
  private int resets;
  private boolean isPong;

  /** Begins with the preface and asks for headers without a dynamic table. */
  Http2Wire(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(60_000);
    this.out = socket.getOutputStream();
    this.in = new DataInputStream(socket.getInputStream());
    ByteArrayOutputStream first = new ByteArrayOutputStream();
    first.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    first.write(frame(SETTINGS, 0, 0, new byte[] {0, 1, 0, 0, 0, 0}));
    out.write(first.toByteArray());
    out.flush();
  }

  /** Sends a request's head: names and values in turn, pseudo-headers first. */
  Http2Wire headers(int stream, boolean isWhole, String... fields) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < fields.length; i += 2) {
      block.write(0); // a literal with a name of its own, not to be remembered
      text(block, fields[i]);
      text(block, fields[i + 1]);
    }
    byte[] all = block.toByteArray();
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (int at = 0; at == 0 || at < all.length; at += LARGEST_FRAME) {
      byte[] part = Arrays.copyOfRange(all, at, Math.min(all.length, at + LARGEST_FRAME));
      int end = at + LARGEST_FRAME >= all.length ? END_OF_HEADERS : 0;
      int flags = at == 0 && isWhole ? end | END_OF_STREAM : end;
      frames.write(frame(at == 0 ? HEADERS : CONTINUATION, flags, stream, part));
    }
    out.write(frames.toByteArray());
    out.flush();
    return this;
  }

  /** Sends a part of a body, no faster than the other side allows; no more once it has answered. */
  Http2Wire data(int stream, boolean isLast, byte[] body) throws IOException {
    int at = 0;
    do {
      int room = Math.min(LARGEST_FRAME, Math.min(window(0), window(stream)));
      if (room <= 0 && body.length > 0) {
        out.flush();
        readFrame();
        if (reply(stream) != null || replies.containsKey(stream)) {
          return this;
        }
        continue;
      }
      byte[] part = Arrays.copyOfRange(body, at, Math.min(body.length, at + room));
      at += part.length;
      windows.put(0, window(0) - part.length);
      windows.put(stream, window(stream) - part.length);
      boolean isEnd = isLast && at == body.length;
      out.write(frame(DATA, isEnd ? END_OF_STREAM : 0, stream, part));
    } while (at < body.length);
    out.flush();
    return this;
  }

  private int window(int stream) {
    return windows.getOrDefault(stream, WINDOW);
  }

  /** Cancels a stream. */
  Http2Wire reset(int stream) throws IOException {
    return frame(RESET, 0, stream, 0, 0, 0, CANCEL);
  }

  /** Sends a frame of any kind. */
  Http2Wire frame(int type, int flags, int stream, int... payload) throws IOException {
    byte[] bytes = new byte[payload.length];
    for (int i = 0; i < payload.length; i++) {
      bytes[i] = (byte) payload[i];
    }
    out.write(frame(type, flags, stream, bytes));
    out.flush();
    return this;
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    byte[] frame = new byte[9 + payload.length];
    frame[0] = (byte) (payload.length >> 16);
    frame[1] = (byte) (payload.length >> 8);
    frame[2] = (byte) payload.length;
    frame[3] = (byte) type;
    frame[4] = (byte) flags;
    frame[5] = (byte) (stream >> 24);
    frame[6] = (byte) (stream >> 16);
    frame[7] = (byte) (stream >> 8);
    frame[8] = (byte) stream;
    System.arraycopy(payload, 0, frame, 9, payload.length);
    return frame;
  }

  private static void text(ByteArrayOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int rest = bytes.length - 127;
    if (rest < 0) {
      out.write(bytes.length);
    } else {
      out.write(127);
      while (rest >= 128) {
        out.write(rest % 128 + 128);
        rest /= 128;
      }
      out.write(rest);
    }
    out.write(bytes);
  }

  /** Reads until a stream has ended; a status of 0 says that it, or the connection, was cut off. */
  Wire.Reply read(int stream) throws IOException {
    try {
      return readFrames(stream);
    } catch (EOFException | SocketException e) {
      return new Wire.Reply(0, List.of("closed"), new byte[0]);
    }
  }

  private Wire.Reply readFrames(int stream) throws IOException {
    while (true) {
      Wire.Reply reply = reply(stream);
      if (reply == null) {
        readFrame();
      } else {
        return reply;
      }
    }
  }

  /** Returns what a stream, or the connection, has ended with; null if it goes on. */
  private Wire.@Nullable Reply reply(int stream) {
    Wire.Reply reply = ended.get(stream);
    return reply == null ? gone : reply;
  }

  private void readFrame() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int of = in.readInt();
    byte[] payload = in.readNBytes(length);
    switch (type) {
      case SETTINGS -> {
        if ((flags & 1) == 0) {
          out.write(frame(SETTINGS, 1, 0, new byte[0]));
          out.flush();
        }
      }
      case WINDOW_UPDATE -> windows.put(of, window(of) + ByteBuffer.wrap(payload).getInt());
      case HEADERS ->
          replies.put(of, new Wire.Reply(status(flags, payload), List.of(), new byte[0]));
      case DATA -> replies.merge(of, new Wire.Reply(0, List.of(), payload), Http2Wire::joined);
      case GO_AWAY -> gone = new Wire.Reply(0, List.of("gone away"), payload);
      case RESET -> {
        resets++;
        ended.putIfAbsent(
            of, replies.getOrDefault(of, new Wire.Reply(0, List.of("reset"), payload)));
      }
      case PING -> isPong |= (flags & 1) != 0;
      default -> {}
    }
    boolean isEnd = (type == HEADERS || type == DATA) && (flags & END_OF_STREAM) != 0;
    if (isEnd) {
      ended.putIfAbsent(of, replies.getOrDefault(of, new Wire.Reply(0, List.of(), payload)));
    }
  }

  /** Returns how many streams were reset before the answer to a ping. */
  int resetsBeforePong() throws IOException {
    while (!isPong) {
      readFrame();
    }
    return resets;
  }

  private static Wire.Reply joined(Wire.Reply head, Wire.Reply more) {
    byte[] body = Arrays.copyOf(head.body(), head.body().length + more.body().length);
    System.arraycopy(more.body(), 0, body, head.body().length, more.body().length);
    return new Wire.Reply(head.status(), head.headers(), body);
  }

  /** Returns the status, which is the first header. */
  private static int status(int flags, byte[] payload) {
    int at = ((flags & PADDED) == 0 ? 0 : 1) + ((flags & HAS_PRIORITY) == 0 ? 0 : 5);
    while ((payload[at] & 0xe0) == 0x20) {
      at++; // the size of the table, which is small enough for a byte
    }
    int first = Byte.toUnsignedInt(payload[at]);
    if (first >= 0x88 && first <= 0x8e) {
      return STATIC_STATUSES.get(first - 0x88);
    }
    int length = payload[at + 1];
    return Integer.parseInt(new String(payload, at + 2, length, StandardCharsets.US_ASCII));
  }

  void timeout(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  /** Returns whether the other side closes, whatever it sends before. */
  boolean isClosed() {
    try {
      while (in.read() >= 0) {
        // What comes is not looked at.
      }
      return true;
    } catch (IOException e) {
      return !(e instanceof java.net.SocketTimeoutException);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
