// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gets a connection when there are few, against a real upstream. */
class UpstreamPoolTest extends GatewayTests {
  private static final int MANY = 10_000;

  private final Vertx vertx = Vertx.vertx();
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
    Upstream upstream = started(Upstream.charging());
    ConnectOptions place = new ConnectOptions().setHost("127.0.0.1").setPort(upstream.port());
    Duration minute = Duration.ofMinutes(1);
    return new UpstreamPool(
        sockets, place, new HeadWriter(), new UpstreamPool.Bounds(1, minute, minute, null));
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
    vertx.runOnContext(now -> pool.call(first));

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
    vertx.runOnContext(now -> pool.call(slow));
    vertx.runOnContext(now -> pool.call(next));

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
      vertx.runOnContext(now -> pool.call(each));
    }

    assertThatThrownBy(early::text).hasMessageContaining("too early");
    assertThatThrownBy(late::text).hasMessageContaining("too late");
    assertThat(next.text()).isEqualTo("charge 2");
  }
}
