// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.Exchange;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.body.RequestBody;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request whose handler runs, from the filter's first call to its end, which may be in another
 * thread. It is ended once: by the filter when the chain returns, or by the handler when it
 * completes its asynchronous context.
 */
final class GuardedRequest implements AsyncListener {
  private final Exchange exchange;
  private final RequestBody body;
  private final HeldResponse response;
  private final ErrorRules errors;
  private final AtomicBoolean isEnded = new AtomicBoolean();
  private volatile boolean isTimedOut;
  private @Nullable BufferedRequest request;

  /** What the rest of the chain does. */
  interface Chain {
    void go() throws IOException, ServletException;
  }

  GuardedRequest(Exchange exchange, RequestBody body, HeldResponse response, ErrorRules errors) {
    this.exchange = exchange;
    this.body = body;
    this.response = response;
    this.errors = errors;
  }

  void request(BufferedRequest request) {
    this.request = request;
  }

  HeldResponse response() {
    return response;
  }

  void run(Chain chain) throws IOException, ServletException {
    Throwable thrown = null;
    try {
      chain.go();
    } catch (Exception | Error e) {
      if (!response.isLeaving() && errors.isPassedOn().test(e)) {
        passOn();
        throw e;
      }
      thrown = e;
    }
    if (thrown != null || request == null || !request.isAsyncStarted()) {
      end(thrown);
    }
  }

  /** Frees the key, and leaves the answer to the filter that catches the exception. */
  private void passOn() throws IOException {
    if (isEnded.compareAndSet(false, true)) {
      response.abandon();
      try {
        exchange.refused(ProblemType.OPERATION_FAILED, "The operation was refused.");
      } finally {
        body.close();
      }
    }
  }

  /** Records and sends what the handler answered, once. */
  void end(@Nullable Throwable thrown) throws IOException {
    if (!isEnded.compareAndSet(false, true)) {
      return;
    }
    Throwable failure =
        thrown == null && request != null ? errors.handled().apply(request) : thrown;
    if (failure != null) {
      exchange.threw(failure);
    }
    try {
      if (thrown != null && !response.isLeaving()) {
        failed(thrown);
      } else if (thrown == null && response.error() != null) {
        errorPage(null);
      }
      response.end(thrown);
    } finally {
      body.close();
    }
  }

  /** The container would have logged it, had it seen it. */
  private void failed(Throwable thrown) throws IOException {
    if (request != null) {
      request.getServletContext().log("the handler of " + exchange.route() + " failed", thrown);
    }
    response.failed(thrown);
    errorPage(thrown);
  }

  private void errorPage(@Nullable Throwable thrown) throws IOException {
    HeldResponse.Failure error = response.error();
    String page = errors.page();
    if (page == null || request == null || error == null) {
      return;
    }
    request.setAttribute(RequestDispatcher.ERROR_STATUS_CODE, error.status());
    request.setAttribute(RequestDispatcher.ERROR_MESSAGE, error.message());
    request.setAttribute(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
    if (thrown != null) {
      request.setAttribute(RequestDispatcher.ERROR_EXCEPTION, thrown);
      request.setAttribute(RequestDispatcher.ERROR_EXCEPTION_TYPE, thrown.getClass());
    }
    try {
      response.renderError();
      request.getRequestDispatcher(page).forward(request, opaque(response));
    } catch (Exception e) {
      request.getServletContext().log("the error page " + page + " failed", e);
      response.unrendered(error);
    } finally {
      // Left there, Tomcat would render its own page over this one.
      request.removeAttribute(RequestDispatcher.ERROR_EXCEPTION);
    }
  }

  /**
   * Returns the response as one that cannot be unwrapped: after a forward Tomcat ends the innermost
   * response, which is not written yet. A proxy, because every version of the interface has other
   * methods.
   */
  private static HttpServletResponse opaque(HttpServletResponse response) {
    InvocationHandler passOn =
        (proxy, method, arguments) -> {
          try {
            return method.invoke(response, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
          }
        };
    return (HttpServletResponse)
        Proxy.newProxyInstance(
            HttpServletResponse.class.getClassLoader(),
            new Class<?>[] {HttpServletResponse.class},
            passOn);
  }

  @Override
  public void onComplete(AsyncEvent event) throws IOException {
    if (isTimedOut && isEnded.compareAndSet(false, true)) {
      // The handler may still run: the outcome is unknown.
      response.abandon();
      try {
        exchange.brokenOff(response.getStatus(), true);
      } finally {
        body.close();
      }
      return;
    }
    end(null);
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    isTimedOut = true;
  }

  @Override
  public void onError(AsyncEvent event) {}

  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }
}
