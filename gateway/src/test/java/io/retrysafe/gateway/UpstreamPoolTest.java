// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Who gets a connection when there are few, against a real upstream. */
class UpstreamPoolTest extends GatewayTests {
  private static final int MANY = 10_000;

  /** Does something with its connection. */
  private record Taking(Consumer<UpstreamCall> then, Runnable otherwise)
      implements UpstreamCall.Listener {
    @Override
    public void connected(UpstreamCall call) {
      then.accept(call);
    }

    @Override
    public void unreachable(Throwable cause) {
      otherwise.run();
    }

    @Override
    public void head(HttpResponse answer) {}

    @Override
    public void part(Buffer part) {}

    @Override
    public void ended() {}

    @Override
    public void cut(Throwable cause) {
      otherwise.run();
    }
  }

  @Test
  void thoseWhoGiveBackAtOnceWhatTheyWaitedForAreAllServedAndOneTooManyIsTold() throws Exception {
    Upstream upstream = started(Upstream.charging());
    Vertx vertx = Vertx.vertx();
    started(() -> vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS));
    NetClient sockets = vertx.createNetClient();
    AtomicInteger served = new AtomicInteger();
    AtomicInteger told = new AtomicInteger();
    CompletableFuture<Void> done = new CompletableFuture<>();
    vertx.runOnContext(
        now -> {
          UpstreamPool pool = pool(sockets, upstream);
          Taking first =
              new Taking(
                  call -> {
                    for (int i = 0; i < MANY; i++) {
                      pool.call(new Taking(each -> giveBack(served, each), told::incrementAndGet));
                    }
                    assertThat(served).hasValue(0);
                    assertThat(told).hasValue(0);
                    pool.call(new Taking(each -> {}, told::incrementAndGet));
                    call.unused();
                    done.complete(null);
                  },
                  () -> done.completeExceptionally(new IllegalStateException("not reached")));
          pool.call(first);
        });

    done.get(60, TimeUnit.SECONDS);
    assertThat(served).hasValue(MANY);
    assertThat(told).hasValue(1);
  }

  private static void giveBack(AtomicInteger served, UpstreamCall call) {
    served.incrementAndGet();
    call.unused();
  }

  private static UpstreamPool pool(NetClient sockets, Upstream upstream) {
    ConnectOptions place = new ConnectOptions().setHost("127.0.0.1").setPort(upstream.port());
    Duration minute = Duration.ofMinutes(1);
    return new UpstreamPool(
        sockets, place, new HeadWriter(), new UpstreamPool.Bounds(1, minute, minute, null));
  }
}
