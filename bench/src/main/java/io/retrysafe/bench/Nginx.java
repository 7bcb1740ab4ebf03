// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** An nginx that answers at once, and another that passes requests on to it. */
final class Nginx implements AutoCloseable {
  private final ChildProcess upstream;
  private final ChildProcess proxy;
  private final int upstreamPort = freePort();
  private final int proxyPort = freePort();

  /** Starts both; the answer has {@code bytes} bytes. */
  Nginx(Path folder, int bytes) throws Exception {
    String program = Wrk.require("nginx");
    this.upstream =
        start(
            program,
            Files.createDirectories(folder.resolve("upstream")),
            1,
            """
            server {
              listen 127.0.0.1:%d backlog=4096;
              location / { default_type application/json; return 200 '%s'; }
            }
            """
                .formatted(upstreamPort, "x".repeat(bytes)));
    this.proxy =
        start(
            program,
            Files.createDirectories(folder.resolve("proxy")),
            2,
            """
            upstream app { server 127.0.0.1:%d; keepalive 512; }
            server {
              listen 127.0.0.1:%d backlog=4096 reuseport;
              location / {
                proxy_pass http://app;
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header X-Forwarded-For $remote_addr;
                proxy_set_header X-Forwarded-Proto $scheme;
              }
            }
            """
                .formatted(upstreamPort, proxyPort));
    await(upstreamPort);
    await(proxyPort);
  }

  String upstreamUrl() {
    return "http://127.0.0.1:" + upstreamPort;
  }

  String proxyUrl() {
    return "http://127.0.0.1:" + proxyPort;
  }

  private static ChildProcess start(String program, Path folder, int workers, String servers)
      throws IOException {
    Path file = folder.resolve("nginx.conf").toAbsolutePath();
    Files.writeString(
        file,
        """
        worker_processes %1$d;
        daemon off;
        master_process on;
        pid %2$s/pid;
        error_log %2$s/error.log;
        events { worker_connections 4096; }
        http {
          access_log off;
          keepalive_requests 1000000000;
          keepalive_timeout 300s;
          client_body_temp_path %2$s/body;
          proxy_temp_path %2$s/proxy;
          fastcgi_temp_path %2$s/fastcgi;
          uwsgi_temp_path %2$s/uwsgi;
          scgi_temp_path %2$s/scgi;
        %3$s
        }
        """
            .formatted(workers, folder.toAbsolutePath(), servers));
    return ChildProcess.start(
        new ProcessBuilder(program, "-p", folder.toAbsolutePath().toString(), "-c", file.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out.log").toFile()));
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(int port) throws Exception {
    for (int i = 0; i < 200; i++) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException e) {
        Thread.sleep(50);
      }
    }
    throw new IOException("nginx does not listen on " + port);
  }

  @Override
  public void close() {
    proxy.close();
    upstream.close();
  }
}
