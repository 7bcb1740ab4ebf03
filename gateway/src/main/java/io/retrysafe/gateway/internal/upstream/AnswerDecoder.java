// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;

/**
 * The decoder of an upstream's answers, which knows that those to HEAD have no body. What comes
 * while nobody asks is not parsed: not even half a line of it is left for the next answer.
 */
final class AnswerDecoder extends HttpResponseDecoder {
  private static final int LINE = 16 * 1024;
  private static final int HEAD = 64 * 1024;
  private static final int PART = 64 * 1024;

  private boolean isAsked;
  private boolean isToHead;

  AnswerDecoder() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(LINE)
            .setMaxHeaderSize(HEAD)
            .setMaxChunkSize(PART));
  }

  /** Is told what the next answer is to. */
  void asked(String method) {
    isAsked = true;
    isToHead = method.equals("HEAD");
  }

  /** Is told that there is no request, or none that is not answered. */
  void nothingAsked() {
    isAsked = false;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (isAsked) {
      super.decode(ctx, in, out);
    } else {
      in.skipBytes(in.readableBytes());
      // The connection closes, whatever it was.
      out.add(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage answer) {
    return isToHead || super.isContentAlwaysEmpty(answer);
  }
}
