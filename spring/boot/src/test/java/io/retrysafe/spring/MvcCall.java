// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import io.retrysafe.http.testkit.Application;
import io.retrysafe.http.testkit.Call;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A call as a handler of Spring MVC gets it. */
final class MvcCall implements Call {
  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private @Nullable Callable<@Nullable Object> later;

  MvcCall(HttpServletRequest request, HttpServletResponse response) {
    this.request = request;
    this.response = response;
  }

  /** Returns what the handler returns: nothing, or what Spring MVC goes on with. */
  @Nullable Object run(Application application) throws Exception {
    application.handle(this);
    return later;
  }

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public Optional<String> header(String name) {
    return Optional.ofNullable(request.getHeader(name));
  }

  @Override
  public byte[] body() throws IOException {
    return request.getInputStream().readAllBytes();
  }

  @Override
  public Optional<String> field(String name) throws IOException {
    try {
      boolean isMultipart = String.valueOf(request.getContentType()).startsWith("multipart/");
      if (isMultipart && request.getPart("file").getSize() != 2) {
        throw new IllegalStateException("the part file has another size");
      }
      return Optional.ofNullable(request.getParameter(name));
    } catch (ServletException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void status(int status) {
    response.setStatus(status);
  }

  @Override
  public void addHeader(String name, String value) {
    response.addHeader(name, value);
  }

  @Override
  public OutputStream out() throws IOException {
    return response.getOutputStream();
  }

  @Override
  public void flush() throws IOException {
    response.flushBuffer();
  }

  @Override
  public void error(int status) throws IOException {
    response.sendError(status);
  }

  @Override
  public void later(Application work) {
    later =
        () -> {
          work.handle(this);
          return null;
        };
  }
}
