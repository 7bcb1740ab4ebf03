// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;

/** An asynchronous context that records and sends the answer before it is completed. */
final class GuardedAsyncContext implements AsyncContext {
  private final AsyncContext context;
  private final GuardedRequest guarded;

  GuardedAsyncContext(AsyncContext context, GuardedRequest guarded) {
    this.context = context;
    this.guarded = guarded;
  }

  @Override
  public void complete() {
    try {
      guarded.end(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      context.complete();
    }
  }

  @Override
  public ServletRequest getRequest() {
    return context.getRequest();
  }

  @Override
  public ServletResponse getResponse() {
    return context.getResponse();
  }

  @Override
  public boolean hasOriginalRequestAndResponse() {
    return context.hasOriginalRequestAndResponse();
  }

  @Override
  public void dispatch() {
    context.dispatch();
  }

  @Override
  public void dispatch(String path) {
    context.dispatch(path);
  }

  @Override
  public void dispatch(ServletContext servletContext, String path) {
    context.dispatch(servletContext, path);
  }

  @Override
  public void start(Runnable run) {
    context.start(run);
  }

  @Override
  public void addListener(AsyncListener listener) {
    context.addListener(listener);
  }

  @Override
  public void addListener(
      AsyncListener listener, ServletRequest request, ServletResponse response) {
    context.addListener(listener, request, response);
  }

  @Override
  public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
    return context.createListener(type);
  }

  @Override
  public void setTimeout(long timeout) {
    context.setTimeout(timeout);
  }

  @Override
  public long getTimeout() {
    return context.getTimeout();
  }
}
