// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponseDecoder;

/**
 * The decoder of an upstream's answers, which knows that those to HEAD have no body, and whether
 * more came than was asked for.
 */
final class AnswerDecoder extends HttpResponseDecoder {
  private static final int LINE = 16 * 1024;
  private static final int HEAD = 64 * 1024;
  private static final int PART = 64 * 1024;

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
    isToHead = method.equals("HEAD");
  }

  /** Returns whether nothing is left of what was read. */
  boolean isEmpty() {
    return actualReadableBytes() == 0;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage answer) {
    return isToHead || super.isContentAlwaysEmpty(answer);
  }
}
