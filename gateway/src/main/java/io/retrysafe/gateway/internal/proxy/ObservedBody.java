// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import org.jspecify.annotations.Nullable;

/** A body that passes while an observer sees its parts. */
record ObservedBody(ReadStream<Buffer> body, PassingCall.Observer observer)
    implements ReadStream<Buffer> {

  @Override
  public ObservedBody handler(@Nullable Handler<Buffer> handler) {
    body.handler(
        handler == null
            ? null
            : part -> {
              observer.body(part);
              handler.handle(part);
            });
    return this;
  }

  @Override
  public ObservedBody endHandler(@Nullable Handler<Void> handler) {
    body.endHandler(
        handler == null
            ? null
            : end -> {
              observer.bodyEnded();
              handler.handle(null);
            });
    return this;
  }

  @Override
  public ObservedBody exceptionHandler(@Nullable Handler<Throwable> handler) {
    body.exceptionHandler(handler);
    return this;
  }

  @Override
  public ObservedBody pause() {
    body.pause();
    return this;
  }

  @Override
  public ObservedBody resume() {
    body.resume();
    return this;
  }

  @Override
  public ObservedBody fetch(long amount) {
    body.fetch(amount);
    return this;
  }
}
