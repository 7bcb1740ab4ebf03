// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.gateway.GatewayTests;
import io.retrysafe.gateway.Upstream;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.streams.ReadStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets a connection when there are few, against a real upstream. */
class UpstreamPoolTest extends GatewayTests {
  private static final int MANY = 10_000;

  /** Where Linux lists sockets, each with its state (01 is open) and what is not read yet. */
  private static final List<Path> SOCKETS =
      Stream.of("/proc/net/tcp", "/proc/net/tcp6").map(Path::of).filter(Files::exists).toList();

  /** As the gateway runs: sockets are heard in the order in which something came. */
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));

  private final Context loop = vertx.getOrCreateContext();
  private final NetClient sockets = vertx.createNetClient();
  private final AtomicInteger served = new AtomicInteger();
  private final AtomicInteger told = new AtomicInteger();

  /** Asks for something and hears the answer. */
  private static class Asking implements UpstreamCall.Listener {
    final CompletableFuture<String> answer = new CompletableFuture<>();
    private final Buffer body = Buffer.buffer();

    @Override
    public void connected(UpstreamCall call) {
      call.send(call.head("GET", "/"), new byte[0]);
    }

    @Override
    public void unreachable(Throwable cause) {
      answer.completeExceptionally(cause);
    }

    @Override
    public void head(HttpResponse head) {}

    @Override
    public void part(Buffer part) {
      body.appendBuffer(part);
    }

    @Override
    public void ended() {
      answer.complete(body.toString());
    }

    @Override
    public void cut(Throwable cause) {
      answer.completeExceptionally(cause);
    }

    String text() throws Exception {
      return answer.get(60, TimeUnit.SECONDS);
    }
  }

  /** Gives back what it gets, at once. */
  private final class GivingBack extends Asking {
    @Override
    public void connected(UpstreamCall call) {
      served.incrementAndGet();
      call.unused();
    }

    @Override
    public void unreachable(Throwable cause) {
      told.incrementAndGet();
    }
  }

  @AfterEach
  void close() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  /** Returns a pool of one connection. */
  private UpstreamPool pool() throws Exception {
    return pool(started(Upstream.charging()));
  }

  private UpstreamPool pool(Upstream upstream) {
    return pool(upstream.port(), 1);
  }

  private UpstreamPool pool(int port, int most) {
    ConnectOptions place = new ConnectOptions().setHost("127.0.0.1").setPort(port);
    Duration minute = Duration.ofMinutes(1);
    return new UpstreamPool(
        sockets, place, new HeadWriter(), new UpstreamPool.Bounds(most, minute, minute, null));
  }

  @Test
  void thoseWhoGiveBackAtOnceWhatTheyWaitedForAreAllServedAndOneTooManyIsTold() throws Exception {
    UpstreamPool pool = pool();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Asking first =
        new Asking() {
          @Override
          public void connected(UpstreamCall call) {
            for (int i = 0; i <= MANY; i++) {
              pool.call(new GivingBack());
            }
            assertThat(served).hasValue(0);
            call.unused();
            done.complete(null);
          }
        };
    loop.runOnContext(now -> pool.call(first));

    done.get(60, TimeUnit.SECONDS);
    assertThat(served).hasValue(MANY);
    assertThat(told).hasValue(1);
  }

  @Test
  void anAnswerThatEndsWhileNobodyReadsLeavesAConnectionThatIsRead() throws Exception {
    UpstreamPool pool = pool();
    Asking slow =
        new Asking() {
          private @Nullable UpstreamCall call;

          @Override
          public void connected(UpstreamCall connected) {
            call = connected;
            super.connected(connected);
          }

          @Override
          public void head(HttpResponse head) {
            Objects.requireNonNull(call).pause();
          }
        };
    Asking next = new Asking();
    loop.runOnContext(now -> pool.call(slow));
    loop.runOnContext(now -> pool.call(next));

    assertThat(slow.text()).isEqualTo("charge 1");
    assertThat(next.text()).isEqualTo("charge 2");
  }

  @Test
  void whoThrowsIsCutAndTheNextOneServed() throws Exception {
    UpstreamPool pool = pool();
    Asking early =
        new Asking() {
          @Override
          public void connected(UpstreamCall call) {
            throw new IllegalStateException("too early");
          }
        };
    Asking late =
        new Asking() {
          @Override
          public void head(HttpResponse head) {
            throw new IllegalStateException("too late");
          }
        };
    Asking next = new Asking();
    for (Asking each : List.of(early, late, next)) {
      loop.runOnContext(now -> pool.call(each));
    }

    assertThatThrownBy(early::text).hasMessageContaining("too early");
    assertThatThrownBy(late::text).hasMessageContaining("too late");
    assertThat(next.text()).isEqualTo("charge 2");
  }

  @Test
  void whatIsOverTouchesNothing() throws Exception {
    UpstreamPool pool = pool();
    CompletableFuture<UpstreamCall> over = new CompletableFuture<>();
    Asking first =
        new Asking() {
          @Override
          public void connected(UpstreamCall call) {
            over.complete(call);
            super.connected(call);
          }
        };
    Asking next =
        new Asking() {
          @Override
          public void connected(UpstreamCall call) {
            super.connected(call);
            over.join().pause();
            over.join().unused();
            over.join().reset();
          }
        };
    loop.runOnContext(now -> pool.call(first));
    loop.runOnContext(now -> pool.call(next));

    assertThat(first.text()).isEqualTo("charge 1");
    assertThat(next.text()).isEqualTo("charge 2");
  }

  @Test
  void aConnectionThatIsStillNeededIsClosedAfterThat() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Upstream upstream = started(Upstream.holding(go, 200, "late"));
    UpstreamPool pool = pool(upstream);
    Asking asking = new Asking();
    loop.runOnContext(now -> pool.call(asking));
    until(() -> upstream.asked().size() == 1);
    loop.runOnContext(now -> pool.drain());
    go.countDown();

    assertThat(asking.text()).isEqualTo("late");
    until(() -> upstream.connections() == 0);
  }

  /** A body of many parts, which come until it is paused. */
  private static final class Body implements ReadStream<Buffer> {
    private final CompletableFuture<Void> isRead = new CompletableFuture<>();
    private Handler<Buffer> handler = part -> {};
    private int left = 1000;
    private boolean isPaused = true;

    @Override
    public Body handler(@Nullable Handler<Buffer> taker) {
      handler = Objects.requireNonNull(taker);
      return this;
    }

    @Override
    public Body resume() {
      isPaused = false;
      while (!isPaused && left-- > 0) {
        handler.handle(Buffer.buffer(new byte[64 * 1024]));
      }
      if (left <= 0) {
        isRead.complete(null);
      }
      return this;
    }

    @Override
    public Body pause() {
      isPaused = true;
      return this;
    }

    @Override
    public Body endHandler(@Nullable Handler<Void> ender) {
      return this;
    }

    @Override
    public Body exceptionHandler(@Nullable Handler<Throwable> taker) {
      return this;
    }

    @Override
    public Body fetch(long amount) {
      return this;
    }
  }

  @Test
  void aBodyWaitsForItsReaderAndIsReadToItsEndWhenItGoesNowhere() throws Exception {
    try (ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Body body = new Body();
      CompletableFuture<Boolean> waited = new CompletableFuture<>();
      Asking sending =
          new Asking() {
            @Override
            public void connected(UpstreamCall call) {
              call.send(call.head("PUT", "/").add("Content-Length", "65536000"), body, false);
              waited.complete(body.isPaused && body.left > 0);
              call.reset();
            }
          };
      loop.runOnContext(now -> pool(deaf.getLocalPort(), 1).call(sending));

      assertThat(waited.get(60, TimeUnit.SECONDS)).as("waited for its reader").isTrue();
      body.isRead.get(60, TimeUnit.SECONDS);
      assertThatThrownBy(sending::text).hasMessageContaining("given up");
    }
  }

  @Test
  void aBodyGoesOnWhenItsReaderDoes() throws Exception {
    try (ServerSocket slow = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Body body = new Body();
      CompletableFuture<Void> begun = new CompletableFuture<>();
      Asking sending =
          new Asking() {
            @Override
            public void connected(UpstreamCall call) {
              call.send(call.head("PUT", "/").add("Content-Length", "65536000"), body, false);
              begun.complete(null);
            }
          };
      loop.runOnContext(now -> pool(slow.getLocalPort(), 1).call(sending));
      begun.get(60, TimeUnit.SECONDS);
      assertThat(body.isRead).isNotDone();

      try (Socket socket = slow.accept()) {
        socket.setSoTimeout(60_000);
        socket.getInputStream().readNBytes(65_536_000);
        body.isRead.get(60, TimeUnit.SECONDS);
      }
    }
  }

  private static void answer(Socket socket) throws IOException {
    Upstream.write(socket, 200, "ok");
  }

  /** Returns how the pool's end of a connection is listed while nothing waits to be heard there. */
  private static Pattern silent(Socket socket) {
    return Pattern.compile(
        String.format(
            ".*:%04X \\w+:%04X 01 \\w+:0{8} .*", socket.getPort(), socket.getLocalPort()));
  }

  private static boolean isListed(Pattern socket) throws IOException {
    for (Path table : SOCKETS) {
      try (Stream<String> lines = Files.lines(table)) {
        if (lines.anyMatch(line -> socket.matcher(line).matches())) {
          return true;
        }
      }
    }
    return false;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @EnabledOnOs(OS.LINUX)
  void aConnectionThatClosesInTheSameTurnIsNotUsed(boolean isClosedByTheUpstream) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 3, InetAddress.getLoopbackAddress())) {
      listener.setSoTimeout(60_000);
      UpstreamPool pool = pool(listener.getLocalPort(), 3);
      Asking next = new Asking();
      Asking idle = new Asking();
      Asking busy =
          new Asking() {
            @Override
            public void ended() {
              super.ended();
              pool.call(next);
            }
          };
      loop.runOnContext(now -> pool.call(idle));
      Socket closing = started(listener.accept());
      loop.runOnContext(now -> pool.call(busy));
      Socket answering = started(listener.accept());
      answer(closing);
      assertThat(idle.text()).isEqualTo("ok");

      // What comes while the event loop stands still it hears in one turn, in this order.
      CompletableFuture<Void> isHeld = new CompletableFuture<>();
      CompletableFuture<Void> goesOn = new CompletableFuture<>();
      goesOn.completeOnTimeout(null, 60, TimeUnit.SECONDS);
      loop.runOnContext(
          now -> {
            isHeld.complete(null);
            goesOn.join();
          });
      isHeld.get(60, TimeUnit.SECONDS);
      Pattern nothingCloses = silent(closing);
      Pattern nothingAnswers = silent(answering);
      until(() -> isListed(nothingCloses) && isListed(nothingAnswers));
      if (isClosedByTheUpstream) {
        closing.close();
      } else {
        Upstream.write(closing, "unasked");
      }
      until(() -> !isListed(nothingCloses));
      answer(answering);
      until(() -> !isListed(nothingAnswers));
      goesOn.complete(null);

      assertThat(busy.text()).isEqualTo("ok");
      answer(started(listener.accept()));
      assertThat(next.text()).isEqualTo("ok");
    }
  }
}
