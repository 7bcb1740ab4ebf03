// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request whose body does not end, on a connection of its own. */
final class HostileClientUpload implements AutoCloseable {
  private final @Nullable Wire http1;
  private final @Nullable Http2Wire http2;

  /** Begins a request with {@code first} bytes of its body. */
  HostileClientUpload(
      HostileClient client, String method, String path, int first, String... headers)
      throws IOException {
    byte[] body = new byte[first];
    if (client.protocol().isHttp2()) {
      http1 = null;
      http2 = client.http2();
      client.begin(http2, method, path, false, headers);
      http2.data(1, false, body);
    } else {
      http2 = null;
      http1 = client.http1();
      String[] all = HostileClient.with(headers, "Content-Length", "1000000");
      http1.send(HostileClient.head(method, path, all)).send(body);
    }
  }

  /** Sends more now and then, until it cannot. */
  void trickle(int count, Duration every, int times) throws InterruptedException {
    try {
      for (int i = 0; i < times; i++) {
        Thread.sleep(every.toMillis());
        if (http2 != null) {
          http2.data(1, false, new byte[count]);
        } else if (http1 != null) {
          http1.send(new byte[count]);
        }
      }
    } catch (IOException e) {
      // Cut off, as it should be.
    }
  }

  /** Returns the status of the answer; 0 if there is none. */
  int status() throws IOException {
    if (http2 != null) {
      return http2.read(1).status();
    }
    try {
      return http1 == null ? 0 : http1.read().status();
    } catch (java.net.SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  public void close() throws IOException {
    if (http2 != null) {
      http2.close();
    }
    if (http1 != null) {
      http1.close();
    }
  }
}
