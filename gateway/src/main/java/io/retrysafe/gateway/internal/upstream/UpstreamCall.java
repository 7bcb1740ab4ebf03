// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.streams.ReadStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One request on an upstream connection, and its answer. Belongs to the event loop. After its end
 * it no longer touches the connection, which may carry another request by then.
 */
public final class UpstreamCall {
  private static final int SWITCHING_PROTOCOLS = 101;
  private static final byte[] LINE_END = {'\r', '\n'};
  private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final UpstreamConnection connection;
  private final Listener listener;
  private @Nullable ReadStream<Buffer> body;
  private boolean isChunked;
  private boolean isSent;
  private boolean isInterim;
  private boolean isKeptAlive;
  private boolean isOver;

  /**
   * Hears about a request, in the event loop. Every request is either {@link #unreachable}, or
   * {@link #connected} and then {@link #ended} or {@link #cut}.
   */
  public interface Listener {
    /** There is a connection; nothing was sent yet. */
    void connected(UpstreamCall call);

    /** There will be no connection: nothing was sent. */
    void unreachable(Throwable cause);

    /** The answer begins. */
    void head(HttpResponse answer);

    void part(Buffer part);

    /** The answer is whole. */
    void ended();

    /** There will be no whole answer. It is unknown what the upstream did. */
    void cut(Throwable cause);
  }

  UpstreamCall(UpstreamConnection connection, Listener listener) {
    this.connection = connection;
    this.listener = listener;
  }

  /** Returns the head of the request, to be written and sent at once. */
  public HeadWriter head(String method, String target) {
    connection.decoder().asked(method);
    return connection.writer().start(method, target);
  }

  /** Gives the connection back without sending anything. */
  public void unused() {
    if (!isOver) {
      isOver = true;
      connection.free();
    }
  }

  /** Sends a request with its whole body. */
  public void send(HeadWriter head, byte[] content) {
    ByteBuf request = head.end(connection.allocator(), content.length).writeBytes(content);
    isSent = true;
    connection.send(request);
  }

  /** Sends a request and streams its body, no faster than the upstream reads it. */
  public void send(HeadWriter head, ReadStream<Buffer> content, boolean isChunked) {
    this.isChunked = isChunked;
    this.body = content;
    connection.send(head.end(connection.allocator(), 0));
    content.exceptionHandler(failure -> reset());
    content.handler(this::write);
    content.endHandler(end -> sent());
    content.resume();
  }

  private void write(Buffer part) {
    if (isOver || part.length() == 0) {
      return;
    }
    ByteBuf bytes = ((BufferInternal) part).getByteBuf();
    if (isChunked) {
      String size = Integer.toHexString(part.length()) + "\r\n";
      connection.send(
          Unpooled.wrappedBuffer(
              Unpooled.wrappedBuffer(size.getBytes(StandardCharsets.US_ASCII)),
              bytes,
              Unpooled.wrappedBuffer(LINE_END)));
    } else {
      connection.send(bytes);
    }
    if (body != null && !connection.isWritable()) {
      body.pause();
    }
  }

  private void sent() {
    if (!isOver) {
      isSent = true;
      body = null;
      if (isChunked) {
        connection.send(Unpooled.wrappedBuffer(LAST_CHUNK));
      }
    }
  }

  /** Resumes the body, because the upstream reads on. */
  void writable() {
    if (body != null) {
      body.resume();
    }
  }

  /** Stops reading the answer for now. Parts that were already read still arrive. */
  public void pause() {
    if (!isOver) {
      connection.reading(false);
    }
  }

  public void resume() {
    if (!isOver) {
      connection.reading(true);
    }
  }

  /** Closes the connection and cuts the request. */
  public void reset() {
    if (!isOver) {
      connection.fail(new IOException("the gateway has given up the request"));
    }
  }

  /** Handles a message that arrived on the connection. */
  void read(HttpObject message) {
    DecoderResult result = message.decoderResult();
    if (result.isFailure()) {
      connection.fail(result.cause());
      return;
    }
    if (message instanceof HttpResponse answer) {
      begin(answer);
    }
    if (message instanceof HttpContent content && !isOver) {
      go(content);
    }
  }

  private void begin(HttpResponse answer) {
    int status = answer.status().code();
    isInterim = status < 200;
    if (status < 100 || status > 599) {
      connection.fail(new IOException("the upstream answered with the status " + status));
    } else if (status == SWITCHING_PROTOCOLS) {
      connection.fail(new IOException("the upstream switched protocols without being asked"));
    } else if (!isInterim) {
      isKeptAlive = HttpUtil.isKeepAlive((HttpMessage) answer);
      listener.head(answer);
    }
  }

  private void go(HttpContent content) {
    if (content.content().isReadable()) {
      listener.part(BufferInternal.safeBuffer(content.content().retain()));
    }
    if (content instanceof LastHttpContent && !isOver) {
      if (isInterim) {
        isInterim = false;
      } else {
        end();
      }
    }
  }

  private void end() {
    over();
    // A connection whose request is still being sent cannot be reused.
    boolean isReusable = isKeptAlive && isSent;
    try {
      listener.ended();
    } catch (Throwable e) {
      connection.close();
      listener.cut(e);
      return;
    }
    if (isReusable) {
      connection.answered();
    } else {
      connection.close();
    }
  }

  /** Ends the request, because the connection was closed. */
  void cut(Throwable cause) {
    if (!isOver) {
      over();
      listener.cut(cause);
    }
  }

  private void over() {
    isOver = true;
    if (body != null) {
      // Reads and drops the rest.
      body.resume();
    }
  }
}
