// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.http.Header;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A call on a plain connection. The answer is held back until it is flushed, ends or is large. */
final class PlainCall implements Call {
  private static final Pattern PART =
      Pattern.compile("name=\"([^\"]+)\"[^\r]*(?:\r\n[^\r]+)*\r\n\r\n(.*?)\r\n--", Pattern.DOTALL);

  private final Connection.Head head;
  private final InputStream in;
  private final Sink sink;
  private final List<Header> headers = new ArrayList<>();
  private final ByteArrayOutputStream held = new ByteArrayOutputStream();
  private int status = 200;
  private @Nullable OutputStream stream;
  private @Nullable Application later;

  /** Where the answer goes. */
  interface Sink {
    /** Returns how much of an answer may be held back. */
    int limit();

    void whole(int status, List<Header> headers, byte[] body) throws IOException;

    OutputStream begin(int status, List<Header> headers) throws IOException;

    /** Is told that an answer that was begun is complete. */
    void ended(int status, List<Header> headers) throws IOException;
  }

  PlainCall(Connection.Head head, InputStream in, Sink sink) {
    this.head = head;
    this.in = in;
    this.sink = sink;
  }

  /** Lets the application answer, to the end. */
  void run(Application application) throws Exception {
    application.handle(this);
    if (later != null) {
      Application work = later;
      Exception[] thrown = new Exception[1];
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.handle(this);
                } catch (Exception e) {
                  thrown[0] = e;
                }
              });
      thread.start();
      thread.join();
      if (thrown[0] != null) {
        throw thrown[0];
      }
    }
    if (stream == null) {
      sink.whole(status, headers, held.toByteArray());
    } else {
      stream.close();
      sink.ended(status, headers);
    }
  }

  boolean isBegun() {
    return stream != null;
  }

  int status() {
    return status;
  }

  @Override
  public String method() {
    return head.method();
  }

  @Override
  public Optional<String> header(String name) {
    return head.header(name);
  }

  @Override
  public byte[] body() throws IOException {
    return in.readAllBytes();
  }

  @Override
  public Optional<String> field(String name) throws IOException {
    String type = header("Content-Type").orElse("");
    String body = new String(body(), StandardCharsets.UTF_8);
    in.reset();
    if (type.startsWith("multipart/")) {
      Matcher parts = PART.matcher(body);
      while (parts.find()) {
        if (parts.group(1).equals(name)) {
          return Optional.of(parts.group(2));
        }
      }
      return Optional.empty();
    }
    for (String pair : body.split("&", -1)) {
      if (pair.startsWith(name + "=")) {
        return Optional.of(
            URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8));
      }
    }
    return Optional.empty();
  }

  @Override
  public void status(int status) {
    this.status = status;
  }

  @Override
  public void addHeader(String name, String value) {
    headers.add(new Header(name, value));
  }

  @Override
  public OutputStream out() {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int count) throws IOException {
        if (stream == null) {
          held.write(bytes, offset, count);
          if (held.size() > sink.limit()) {
            PlainCall.this.flush();
          }
        } else {
          stream.write(bytes, offset, count);
        }
      }
    };
  }

  @Override
  public void flush() throws IOException {
    if (stream == null) {
      stream = sink.begin(status, headers);
      held.writeTo(stream);
      held.reset();
    }
  }

  @Override
  public void error(int status) throws IOException {
    this.status = status;
    headers.clear();
    held.reset();
    held.write(("error " + status).getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void later(Application work) {
    later = work;
  }
}
