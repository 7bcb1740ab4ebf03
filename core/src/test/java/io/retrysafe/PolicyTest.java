// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class PolicyTest {
  private static final Duration TOO_LONG = Duration.ofDays(3661);

  @Test
  void theDefaultsAreThoseOfTheDocumentation() {
    Policy policy = Policy.create();

    assertThat(policy.lease()).isEqualTo(Duration.ofSeconds(30));
    assertThat(policy.maxRunning()).isEqualTo(Duration.ofHours(1));
    assertThat(policy.retention()).isEqualTo(Duration.ofHours(24));
    assertThat(policy.waitUpTo()).isZero();
    assertThat(policy.recovery()).isEqualTo(Recovery.park());
    assertThat(policy.failures()).isEqualTo(Failures.KEEP);
    assertThat(policy.largestAnswer()).isEqualTo(1024 * 1024);
    assertThat(Recovery.rerun()).isEqualTo(Recovery.rerun(5, Duration.ofHours(1)));
  }

  @Test
  void aSetterReturnsAnotherPolicyAndKeepsTheRest() {
    Policy policy =
        Policy.create()
            .lease(Duration.ofSeconds(1))
            .maxRunning(Duration.ofSeconds(2))
            .retention(Duration.ofSeconds(3))
            .waitUpTo(Duration.ofSeconds(4))
            .recovery(Recovery.rerun())
            .failures(Failures.RESUME)
            .largestAnswer(5);

    assertThat(policy.lease()).isEqualTo(Duration.ofSeconds(1));
    assertThat(policy.maxRunning()).isEqualTo(Duration.ofSeconds(2));
    assertThat(policy.retention()).isEqualTo(Duration.ofSeconds(3));
    assertThat(policy.waitUpTo()).isEqualTo(Duration.ofSeconds(4));
    assertThat(policy.recovery()).isEqualTo(Recovery.rerun());
    assertThat(policy.failures()).isEqualTo(Failures.RESUME);
    assertThat(policy.largestAnswer()).isEqualTo(5);
    assertThat(Policy.create().lease()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void timeOutsAndBrokenConnectionsAreUnknownByDefault() throws Exception {
    Predicate<Throwable> unknown = Policy.create().unknownOn();
    assertThat(
            List.of(
                new IOException("cut"),
                new SocketTimeoutException("Read timed out"),
                new TimeoutException(),
                new UncheckedIOException(new EOFException()),
                new RuntimeException(new CompletionException(new TimeoutException())),
                new IOException("the last try failed", new ConnectException()),
                new TimeoutException().initCause(new ConnectException())))
        .allMatch(unknown);
    assertThat(
            List.of(
                new IllegalStateException("declined"),
                new ConnectException("refused"),
                new RuntimeException(new ConnectException()),
                new UncheckedIOException(new UnknownHostException("bank")),
                new NoSuchFileException("/tmp/x"),
                new ConnectException().initCause(new ClosedChannelException()),
                new AssertionError("no")))
        .noneMatch(unknown);
  }

  @Test
  void aClientThatCouldNoLongerConnectMayHaveSentTheRequestBefore() {
    ConnectException last = new ConnectException("refused");
    last.addSuppressed(new ConnectException("refused too"));
    assertThat(Policy.create().unknownOn().test(last)).isFalse();

    last.addSuppressed(new SocketException("Connection reset"));

    assertThat(Policy.create().unknownOn().test(new RuntimeException(last))).isTrue();
  }

  @Test
  void causesMayRunInACircle() {
    Exception first = new IllegalStateException("a");
    Exception second = new IllegalStateException("b", first);
    first.initCause(second);
    ConnectException connect = new ConnectException();
    connect.addSuppressed(new RuntimeException(connect));

    assertThat(Policy.create().unknownOn().test(first)).isFalse();
    assertThat(Policy.create().unknownOn().test(connect)).isFalse();
  }

  @Test
  void aRefusedConnectionOfTheJdksOwnClientIsKnown() throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + closed + "/")).build();

    assertThatThrownBy(
            () -> HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()))
        .isInstanceOf(IOException.class)
        .satisfies(thrown -> assertThat(Policy.create().unknownOn().test(thrown)).isFalse());
  }

  @Test
  void aMessageSaysWhatWasWrongAndTheValue() {
    assertThatThrownBy(() -> Policy.create().lease(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lease must be positive, was 0s");
  }

  @Test
  void badValuesAreRefused() {
    Policy policy = Policy.create();
    refused(() -> policy.lease(Duration.ofSeconds(-1)));
    refused(() -> policy.lease(TOO_LONG));
    refused(() -> policy.maxRunning(Duration.ZERO));
    refused(() -> policy.retention(Duration.ZERO));
    refused(() -> policy.waitUpTo(Duration.ofMillis(-1)));
    refused(() -> policy.waitUpTo(TOO_LONG));
    refused(() -> policy.largestAnswer(-1));
    refused(() -> Recovery.rerun(1, Duration.ofHours(1)));
    refused(() -> Recovery.rerun(2, Duration.ZERO));
    policy
        .largestAnswer(0)
        .waitUpTo(Duration.ZERO)
        .recovery(Recovery.rerun(2, Duration.ofNanos(1)));
  }

  @Test
  void badSettingsOfAnEngineAreRefused() {
    refused(builder -> builder.storeDeadline(Duration.ZERO));
    refused(builder -> builder.waiters(-1));
    refused(builder -> builder.sweepEvery(Duration.ofSeconds(-1)));
    Policy asking =
        Policy.create().recovery(Recovery.reconcile(operation -> new Lookup.CannotTell()));
    refused(builder -> builder.recoverEvery(Duration.ZERO, asking, scope -> true));
    refused(builder -> builder.policy(Policy.create().retention(Duration.ofDays(31))).build());
  }

  private static void refused(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class);
  }

  private static void refused(Consumer<Retrysafe.Builder> setting) {
    Retrysafe.Builder builder =
        Retrysafe.builder(io.retrysafe.store.MemoryStore.create()).seam(new ManualSeam());
    assertThatThrownBy(() -> setting.accept(builder)).isInstanceOf(IllegalArgumentException.class);
  }
}
