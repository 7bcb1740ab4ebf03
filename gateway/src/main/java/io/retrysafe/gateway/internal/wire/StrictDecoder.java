// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;

/**
 * A decoder of HTTP/1.1 requests that refuses what Netty would repair: header lines that are
 * folded, begin with a space or have no name.
 */
final class StrictDecoder extends VertxHttpRequestDecoder {
  private boolean isInHead = true;
  private boolean isWithinHead;
  private boolean isRefused;

  StrictDecoder(HttpServerOptions options) {
    super(options);
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (isInHead && !isRefused && hasBadLine(in)) {
      isRefused = true;
      HttpMessage bad = createInvalidMessage();
      bad.setDecoderResult(
          DecoderResult.failure(new IllegalArgumentException("a header line has no name")));
      out.add(bad);
    }
    if (isRefused) {
      in.skipBytes(in.readableBytes());
      return;
    }
    int before = out.size();
    int from = in.readerIndex();
    super.decode(ctx, in, out);
    if (out.size() > before) {
      out.forEach(StrictDecoder::ignoreUpgrade);
      isInHead = out.get(out.size() - 1) instanceof LastHttpContent;
      isWithinHead = false;
    } else if (in.readerIndex() > from) {
      isWithinHead = true;
    }
  }

  /** Removes upgrade headers, so that no later handler upgrades the connection. */
  private static void ignoreUpgrade(Object message) {
    if (message instanceof HttpMessage head) {
      head.headers().remove("Upgrade").remove("HTTP2-Settings");
    }
  }

  /** Checks the first character of every line in the buffer, up to the end of the head. */
  private boolean hasBadLine(ByteBuf in) {
    int end = in.writerIndex();
    int line = in.readerIndex();
    if (isWithinHead && line < end && isBad(in.getByte(line))) {
      return true;
    }
    while (true) {
      int feed = in.indexOf(line, end, (byte) '\n');
      if (feed < 0 || feed + 1 >= end) {
        return false;
      }
      line = feed + 1;
      byte first = in.getByte(line);
      if (isBad(first)) {
        return true;
      }
      if (first == '\r' || first == '\n') {
        return false;
      }
    }
  }

  private static boolean isBad(byte first) {
    return first == ' ' || first == '\t' || first == ':';
  }
}
