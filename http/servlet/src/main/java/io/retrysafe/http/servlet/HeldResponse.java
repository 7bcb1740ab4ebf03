// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.Bytes;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Exchange;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A handler's answer, held back until it is recorded.
 *
 * <p><b>Leaving early.</b> What grows too large to be kept, or is an event stream, leaves as it is
 * written. What is flushed leaves a little later, by another thread, if the handler still goes on:
 * almost every framework flushes at the very end, and such answers are to be kept. From then on
 * everything is passed on at once. Where the handler's transaction is joined nothing leaves early:
 * it could still be rolled back.
 *
 * <p><b>Threads.</b> The handler writes in one thread at a time; one lock keeps the thread that
 * flushes later apart from it. Nothing is written to the container's response after {@link #end}.
 */
final class HeldResponse extends HeldHead {
  private final Exchange exchange;
  private final DelayedFlushes flushes;
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable HeldStream stream;
  private @Nullable PrintWriter writer;
  private @Nullable OutputStream leaving;
  private @Nullable Future<?> flush;
  private @Nullable Failure error;
  private boolean isClosed;
  private boolean isEnded;
  private volatile boolean isClientGone;

  /** An error that the container would have rendered. */
  record Failure(int status, String message, @Nullable Throwable thrown) {}

  HeldResponse(HttpServletResponse response, Exchange exchange, DelayedFlushes flushes) {
    super(response);
    this.exchange = exchange;
    this.flushes = flushes;
  }

  // Ending

  @Override
  boolean isLeaving() {
    return leaving != null;
  }

  @Override
  boolean hasWriter() {
    return writer != null;
  }

  @Nullable Failure error() {
    return error;
  }

  /** Takes note that the handler threw, as the container would: nothing of its answer counts. */
  void failed(Throwable thrown) {
    clear();
    isClosed = true;
    error = new Failure(SC_INTERNAL_SERVER_ERROR, "", thrown);
    status = SC_INTERNAL_SERVER_ERROR;
  }

  /** Lets an error page write. */
  void renderError() {
    int status = error == null ? SC_INTERNAL_SERVER_ERROR : error.status();
    clear();
    isClosed = false;
    error = null;
    this.status = status;
  }

  /** Takes note that the error page could not do it. */
  void unrendered(Failure failure) {
    clear();
    error = failure;
    status = failure.status();
  }

  /** Lets nothing more leave: the container has ended the response. */
  void abandon() {
    lock.lock();
    try {
      isEnded = true;
      cancelFlush();
    } finally {
      lock.unlock();
    }
  }

  /** Records the answer and sends what is recorded. */
  void end(@Nullable Throwable thrown) throws IOException {
    lock.lock();
    try {
      if (writer != null) {
        writer.flush();
      }
      isEnded = true;
      cancelFlush();
      if (leaving == null) {
        send(recorded());
      } else if (thrown == null) {
        exchange.notKept(status, lines());
      } else {
        exchange.brokenOff(status, isClientGone);
      }
    } finally {
      lock.unlock();
    }
  }

  private Answer recorded() {
    if (error == null) {
      return exchange.answered(status, lines(), Bytes.wrap(held.toByteArray()));
    }
    if (error.thrown() != null) {
      return exchange.failed(error.thrown());
    }
    String body = "{\"type\":\"about:blank\",\"status\":" + error.status() + "}";
    headers.set("Content-Type", "application/problem+json");
    return exchange.answered(error.status(), headers.lines(), Bytes.utf8(body));
  }

  private void send(Answer answer) throws IOException {
    if (answer.source() != Answer.Source.HANDLER || error != null) {
      AnswerWriter.send(answer, container());
      return;
    }
    begin(answer.headers());
    AnswerWriter.body(answer, container());
  }

  // Writing

  /** Takes bytes of the answer. */
  void write(byte[] bytes, int offset, int count) throws IOException {
    lock.lock();
    try {
      if (isClosed || isEnded) {
        return;
      }
      if (leaving == null) {
        held.write(bytes, offset, count);
        boolean isTooMuch = held.size() > exchange.answerLimit();
        if (!exchange.isJoined() && (isTooMuch || !exchange.mayBeKept(lines()))) {
          leave();
        }
      } else {
        pass(() -> leavingStream().write(bytes, offset, count));
      }
    } finally {
      lock.unlock();
    }
  }

  void flushed() throws IOException {
    lock.lock();
    try {
      if (isClosed || isEnded || exchange.isJoined()) {
        return;
      }
      if (leaving != null) {
        pass(() -> container().flushBuffer());
      } else if (!exchange.mayBeKept(lines())) {
        leave();
        pass(() -> container().flushBuffer());
      } else if (flush == null) {
        flush = flushes.later(this::leaveLater);
      }
    } finally {
      lock.unlock();
    }
  }

  private void leaveLater() {
    lock.lock();
    try {
      if (!isEnded && !isClosed && leaving == null) {
        leave();
        pass(() -> container().flushBuffer());
      }
    } catch (IOException e) {
      // The client is gone, and the handler will find out when it writes again.
    } finally {
      lock.unlock();
    }
  }

  /** Sends what was held, and from now on everything at once. */
  private void leave() throws IOException {
    begin(exchange.sendable(lines()));
    if (length >= 0) {
      container().setContentLengthLong(length);
    }
    leaving = container().getOutputStream();
    pass(() -> held.writeTo(leavingStream()));
    held.reset();
  }

  private OutputStream leavingStream() {
    return leaving == null ? OutputStream.nullOutputStream() : leaving;
  }

  private interface Sent {
    void go() throws IOException;
  }

  private void pass(Sent sent) throws IOException {
    try {
      sent.go();
    } catch (IOException e) {
      isClientGone = true;
      throw e;
    }
  }

  @Override
  public ServletOutputStream getOutputStream() {
    if (writer != null) {
      throw new IllegalStateException("getWriter() was called before");
    }
    return stream();
  }

  private HeldStream stream() {
    if (stream == null) {
      stream = new HeldStream(this);
    }
    return stream;
  }

  @Override
  public PrintWriter getWriter() {
    if (writer == null) {
      if (stream != null) {
        throw new IllegalStateException("getOutputStream() was called before");
      }
      encoding = getCharacterEncoding();
      writer = new PrintWriter(new OutputStreamWriter(stream(), Charset.forName(encoding)));
    }
    return writer;
  }

  @Override
  public void flushBuffer() throws IOException {
    if (writer == null) {
      flushed();
    } else {
      writer.flush();
    }
  }

  @Override
  public boolean isCommitted() {
    return leaving != null || isClosed || isEnded;
  }

  @Override
  public void reset() {
    checkNotCommitted();
    clear();
    status = SC_OK;
  }

  @Override
  public void resetBuffer() {
    checkNotCommitted();
    if (writer != null) {
      writer.flush();
    }
    held.reset();
    cancelFlush();
  }

  private void cancelFlush() {
    if (flush != null) {
      flush.cancel(false);
      flush = null;
    }
  }

  private void clear() {
    cancelFlush();
    clearHead();
    held.reset();
    stream = null;
    writer = null;
  }

  private void checkNotCommitted() {
    if (isCommitted()) {
      throw new IllegalStateException("the answer has left, or was ended");
    }
  }

  @Override
  public void sendError(int status) {
    sendError(status, "");
  }

  @Override
  public void sendError(int status, @Nullable String message) {
    checkNotCommitted();
    held.reset();
    this.status = status;
    error = new Failure(status, message == null ? "" : message, null);
    isClosed = true;
  }

  @Override
  public void sendRedirect(String location) {
    sendRedirect(location, SC_FOUND, true);
  }

  /** Of Servlet 6.1. */
  public void sendRedirect(String location, int status) {
    sendRedirect(location, status, true);
  }

  /** Of Servlet 6.1. */
  public void sendRedirect(String location, boolean clearBuffer) {
    sendRedirect(location, SC_FOUND, clearBuffer);
  }

  /** Of Servlet 6.1. */
  public void sendRedirect(String location, int status, boolean clearBuffer) {
    checkNotCommitted();
    if (clearBuffer) {
      resetBuffer();
    }
    this.status = status;
    headers.set("Location", location);
    isClosed = true;
  }

  void setWriteListener(WriteListener listener) {
    try {
      container().getOutputStream().setWriteListener(listener);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isReady() {
    try {
      return leaving == null || container().getOutputStream().isReady();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
