// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.body.RequestBody;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body was read before: the application reads it again, in whichever way it likes.
 * The container cannot parse forms and parts any more, so that is done here.
 */
final class BufferedRequest extends HttpServletRequestWrapper {
  private final RequestBody body;
  private final GuardedRequest guarded;
  private @Nullable BodyStream stream;
  private @Nullable BufferedReader reader;
  private @Nullable Map<String, String[]> parameters;
  private @Nullable List<Part> parts;
  private @Nullable GuardedAsyncContext async;

  BufferedRequest(HttpServletRequest request, RequestBody body, GuardedRequest guarded) {
    super(request);
    this.body = body;
    this.guarded = guarded;
  }

  @Override
  public ServletInputStream getInputStream() throws IOException {
    if (reader != null) {
      throw new IllegalStateException("getReader() was called before");
    }
    if (stream == null) {
      stream = new BodyStream(body, this);
    }
    return stream;
  }

  @Override
  public BufferedReader getReader() throws IOException {
    if (stream != null) {
      throw new IllegalStateException("getInputStream() was called before");
    }
    if (reader == null) {
      String encoding = getCharacterEncoding();
      Charset charset = encoding == null ? StandardCharsets.ISO_8859_1 : Charset.forName(encoding);
      reader = new BufferedReader(new InputStreamReader(body.open(), charset));
    }
    return reader;
  }

  @Override
  public @Nullable String getParameter(String name) {
    String[] values = getParameterMap().get(name);
    return values == null ? null : values[0];
  }

  @Override
  public Enumeration<String> getParameterNames() {
    return Collections.enumeration(getParameterMap().keySet());
  }

  @Override
  public String @Nullable [] getParameterValues(String name) {
    String[] values = getParameterMap().get(name);
    return values == null ? null : values.clone();
  }

  @Override
  public Map<String, String[]> getParameterMap() {
    if (parameters == null) {
      try {
        parameters = read();
      } catch (IOException e) {
        throw new UncheckedIOException("a request body that was read cannot be read again", e);
      }
    }
    return parameters;
  }

  private Map<String, String[]> read() throws IOException {
    String encoding = getCharacterEncoding();
    Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
    RequestParameters all = new RequestParameters();
    all.addEncoded(getQueryString(), StandardCharsets.UTF_8);
    String type = mediaType();
    if (type.equals("application/x-www-form-urlencoded") && stream == null && reader == null) {
      all.addEncoded(new String(body.open().readAllBytes(), StandardCharsets.ISO_8859_1), charset);
    } else if (type.equals("multipart/form-data")) {
      for (Part part : parts()) {
        if (part.getSubmittedFileName() == null) {
          all.add(part.getName(), new String(part.getInputStream().readAllBytes(), charset));
        }
      }
    }
    return all.toMap();
  }

  private String mediaType() {
    String type = getContentType() == null ? "" : getContentType();
    return type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  @Override
  public Collection<Part> getParts() throws IOException, ServletException {
    if (!mediaType().equals("multipart/form-data")) {
      throw new ServletException("the request is not multipart/form-data");
    }
    return parts();
  }

  @Override
  public @Nullable Part getPart(String name) throws IOException, ServletException {
    return getParts().stream().filter(part -> part.getName().equals(name)).findFirst().orElse(null);
  }

  private List<Part> parts() throws IOException {
    if (parts == null) {
      parts = MultipartParser.parse(body, String.valueOf(getContentType()));
    }
    return parts;
  }

  @Override
  public AsyncContext startAsync() {
    return startAsync(this, guarded.response());
  }

  @Override
  public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
    AsyncContext context = super.startAsync(request, response);
    context.addListener(guarded);
    async = new GuardedAsyncContext(context, guarded);
    return async;
  }

  @Override
  public AsyncContext getAsyncContext() {
    return async == null ? super.getAsyncContext() : async;
  }
}
