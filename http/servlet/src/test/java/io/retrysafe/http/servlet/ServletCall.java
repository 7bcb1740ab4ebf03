// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.testkit.Application;
import io.retrysafe.http.testkit.Call;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/** A call as a servlet gets it. */
record ServletCall(HttpServletRequest request, HttpServletResponse response) implements Call {

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
    AsyncContext context = request.startAsync();
    Thread thread =
        new Thread(
            () -> {
              try {
                work.handle(
                    new ServletCall(
                        (HttpServletRequest) context.getRequest(),
                        (HttpServletResponse) context.getResponse()));
              } catch (Exception e) {
                throw new IllegalStateException(e);
              } finally {
                context.complete();
              }
            });
    thread.start();
  }
}
