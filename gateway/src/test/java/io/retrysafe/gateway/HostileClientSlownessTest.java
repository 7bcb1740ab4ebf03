// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static io.retrysafe.gateway.HostileClientTable.ALL;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.gateway.HostileClientTable.Port;
import io.retrysafe.gateway.internal.proxy.StreamedBodies;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Clients that begin and do not end, to hold what others need. */
class HostileClientSlownessTest extends HostileClientTests {

  @Override
  void attacks(HostileClientTable table) {
    table.on(Port.REQUESTS, ALL, "heads that do not end", this::heads);
    table.on(Port.ADMIN, ALL, "heads that do not end", this::heads);
    table.on(
        Port.REQUESTS,
        ALL,
        "guarded bodies that do not end",
        client -> bodies(client, "POST", 1, "idempotency-key", key()));
    table.on(
        Port.REQUESTS, ALL, "passing bodies that do not end", client -> bodies(client, "PUT", 1));
    table.on(
        Port.REQUESTS,
        ALL,
        "passing bodies that begin fast and do not end",
        client -> bodies(client, "PUT", StreamedBodies.ENOUGH));
    table.on(Port.ADMIN, ALL, "bodies that do not end", this::adminBody);
    table.on(
        Port.REQUESTS, ALL, "a passing body that is fast enough and takes too long", this::tooLong);
    table.on(Port.REQUESTS, ALL, "bodies that wait to be asked for", this::expectingBodies);
  }

  private void heads(HostileClient client) throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        Socket socket = client.connect();
        sockets.add(socket);
        if (client.protocol().isHttp2()) {
          Http2Wire unused = new Http2Wire(socket);
        } else {
          socket.getOutputStream().write(HostileClient.bytes("GET /x HTTP/1.1\r\nHost: l"));
        }
      }
      assertHonestClientIsServed(client.protocol());
      for (Socket socket : sockets) {
        assertClosed(socket);
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void assertClosed(Socket socket) throws IOException {
    socket.setSoTimeout((int) PATIENCE.toMillis());
    try {
      while (socket.getInputStream().read() >= 0) {
        // What comes is not looked at.
      }
    } catch (java.net.SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      // Reset, which is as good.
    }
  }

  /** Many uploads that stop. Meanwhile requests pass, and find connections to the upstream. */
  private void bodies(HostileClient client, String method, int first, String... headers)
      throws Exception {
    List<HostileClientUpload> uploads = new ArrayList<>();
    try {
      for (int i = 0; i < MANY; i++) {
        uploads.add(new HostileClientUpload(client, method, "/slow", first, headers));
      }
      if (first < StreamedBodies.ENOUGH) {
        assertThat(client.call("GET", "/meanwhile").status()).isEqualTo(201);
        assertThat(upstream().connections()).isLessThanOrEqualTo(UPSTREAM_CONNECTIONS);
      }
      for (HostileClientUpload upload : uploads) {
        assertThat(upload.status()).isIn(0, 408);
      }
    } finally {
      for (HostileClientUpload upload : uploads) {
        upload.close();
      }
    }
  }

  private void expectingBodies(HostileClient client) throws Exception {
    String[] expect = {"expect", "100-continue", "idempotency-key", key()};
    try (HostileClientUpload upload = new HostileClientUpload(client, "POST", "/x", 0, expect)) {
      assertThat(upload.status()).isIn(0, 100, 408);
      assertThat(upload.status()).isIn(0, 100, 408);
    }
  }

  private void adminBody(HostileClient client) throws Exception {
    try (HostileClientUpload upload = new HostileClientUpload(client, "GET", "/metrics", 1)) {
      assertThat(upload.status()).isIn(0, 408);
    }
  }

  private void tooLong(HostileClient client) throws Exception {
    try (HostileClientUpload upload = new HostileClientUpload(client, "PUT", "/slow", 2000)) {
      upload.trickle(2000, Duration.ofMillis(500), 30);
      assertThat(upload.status()).isIn(0, 408);
    }
  }
}
