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
 * A decoder of upstream answers that knows that answers to HEAD have no body. It does not parse
 * bytes that arrive without a request, so that no part of them ends up in the next answer.
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

  /** Notes the method of the request whose answer is next. */
  void asked(String method) {
    isAsked = true;
    isToHead = method.equals("HEAD");
  }

  /** Notes that no request waits for an answer. */
  void nothingAsked() {
    isAsked = false;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (isAsked) {
      super.decode(ctx, in, out);
    } else {
      in.skipBytes(in.readableBytes());
      // The connection closes it.
      out.add(LastHttpContent.EMPTY_LAST_CONTENT);
    }
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage answer) {
    return isToHead || super.isContentAlwaysEmpty(answer);
  }
}
