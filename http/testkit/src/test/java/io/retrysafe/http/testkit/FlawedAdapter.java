// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.Answer;
import io.retrysafe.http.BeginResult;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.OutcomeKind;
import io.retrysafe.http.Plan;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.RequestHead;
import io.retrysafe.http.body.BodySpool;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.store.memory.MemoryStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The least that an adapter has to do, on a plain server, with at most one mistake. */
final class FlawedAdapter implements Instance {
  private final @Nullable Flaw flaw;
  private final Retrysafe engine;
  private final HttpGuard guard;
  private final Application application;
  private final ApplicationServer server;
  private final Set<String> seen = ConcurrentHashMap.newKeySet();

  FlawedAdapter(Setup setup, @Nullable Flaw flaw) throws IOException {
    this.flaw = flaw;
    Setup used =
        flaw == Flaw.REMEMBERS_PER_PROCESS
            ? new Setup(MemoryStore.create(), setup.application())
            : setup;
    this.engine = used.engine();
    this.guard = Flaws.guard(flaw, used, engine);
    this.application = setup.application();
    this.server = new ApplicationServer(this::exchange);
  }

  private boolean has(Flaw flaw) {
    return this.flaw == flaw;
  }

  @Override
  public int port() {
    return server.port();
  }

  @Override
  public void close() throws IOException {
    server.close();
    engine.close();
  }

  private boolean exchange(Connection connection, Connection.Head head) throws Exception {
    RequestHead request = Flaws.head(flaw, head);
    if (has(Flaw.ASKS_FOR_EVERY_BODY)) {
      connection.body().available();
      connection.body().read(new byte[0]);
      int unused = head.header("Expect").isPresent() ? connection.body().read() : 0;
    }
    if (has(Flaw.GUARDS_SAFE_METHODS) && head.method().equals("GET")) {
      request =
          new RequestHead("POST", request.path(), null, request.headers(), request.account(), null);
    }
    if (has(Flaw.IGNORES_THE_CASE_OF_METHODS)) {
      String upper = request.method().toUpperCase(Locale.ROOT);
      request =
          new RequestHead(
              upper, request.path(), request.query(), request.headers(), request.account(), null);
    }
    if (has(Flaw.PASSES_UNKNOWN_METHODS) && head.method().startsWith("CHARGE")) {
      return passThrough(connection, head);
    }
    Plan plan = has(Flaw.GUARDS_NOTHING) ? new Plan.PassThrough() : guard.plan(request);
    if (plan instanceof Plan.Refused refused) {
      send(connection, refused.answer());
      return false;
    }
    if (plan instanceof Plan.ReadBody readBody) {
      if (has(Flaw.IGNORES_OPTIONAL_KEYS) && Set.of("PUT", "DELETE").contains(head.method())) {
        return passThrough(connection, head);
      }
      return guarded(connection, head, readBody);
    }
    return passThrough(connection, head);
  }

  private boolean passThrough(Connection connection, Connection.Head head) throws Exception {
    InputStream body = new ByteArrayInputStream(connection.body().readAllBytes());
    new PlainCall(head, body, new ApplicationServer.Unprotected(connection)).run(application);
    return true;
  }

  private boolean guarded(Connection connection, Connection.Head head, Plan.ReadBody plan)
      throws Exception {
    if (has(Flaw.CLAIMS_BEFORE_THE_BODY)) {
      BeginResult begun = guard.begin(plan, RequestBody.EMPTY);
      byte[] body = connection.body().readAllBytes();
      return decided(connection, head, begun, body);
    }
    try (BodySpool spool = plan.spool()) {
      boolean fits = spool.readFrom(connection.body());
      if (!fits && has(Flaw.READS_BODIES_OF_ANY_SIZE)) {
        return passThrough(connection, head);
      }
      if (!fits) {
        send(connection, plan.bodyTooLarge());
        return false;
      }
      try (RequestBody body = spool.body();
          InputStream in = body.open()) {
        byte[] bytes = in.readAllBytes();
        RequestBody compared = Flaws.compared(flaw, head, body, bytes);
        String name = plan.route() + head.header("Idempotency-Key").orElse("");
        if (has(Flaw.ANSWERS_BUSY_BEFORE_COMPARING) && Flaws.isKnown(name)) {
          // Whoever comes second is told to wait, whatever it asks for.
          RequestBody same = Flaws.first(name, bytes);
          return decided(connection, head, guard.begin(plan, same), bytes);
        }
        Flaws.first(name, bytes);
        if (has(Flaw.LOOKS_BEFORE_IT_RUNS)) {
          boolean isKnown = seen.contains(name);
          Thread.sleep(50);
          seen.add(name);
          return isKnown
              ? decided(connection, head, guard.begin(plan, compared), bytes)
              : passThroughWith(connection, head, bytes);
        }
        return decided(connection, head, guard.begin(plan, compared), bytes);
      }
    }
  }

  private boolean passThroughWith(Connection connection, Connection.Head head, byte[] bytes)
      throws Exception {
    new PlainCall(
            head, new ByteArrayInputStream(bytes), new ApplicationServer.Unprotected(connection))
        .run(application);
    return true;
  }

  private boolean decided(
      Connection connection, Connection.Head head, BeginResult begun, byte[] body)
      throws Exception {
    if (begun instanceof BeginResult.Answered answered) {
      send(connection, Flaws.replay(flaw, answered.answer()));
      return true;
    }
    Exchange exchange = ((BeginResult.Run) begun).exchange();
    byte[] read = Flaws.read(flaw, head, body);
    Sink sink = new Sink(connection, exchange);
    PlainCall call = new PlainCall(head, new ByteArrayInputStream(read), sink);
    try {
      call.run(has(Flaw.RECORDS_BEFORE_THE_END) ? Flaws.early(application, exchange) : application);
    } catch (IOException e) {
      if (sink.isEnded) {
        return false;
      }
      if (!call.isBegun()) {
        send(connection, exchange.failed(e));
        return true;
      }
      if (has(Flaw.FREES_BROKEN_STREAMS)) {
        exchange.refused(ProblemType.OPERATION_FAILED, "Gone.");
      } else {
        exchange.brokenOff(call.status(), true);
      }
      return false;
    } catch (Exception e) {
      if (has(Flaw.FREES_AFTER_EXCEPTIONS)) {
        exchange.outcome(OutcomeKind.REFUSED);
      }
      send(connection, exchange.failed(e));
    }
    return true;
  }

  private static void send(Connection connection, Answer answer) throws IOException {
    connection.write(answer.status(), answer.headers(), answer.body().toArray());
  }

  /** Records what the handler answers, and sends what that says. */
  private final class Sink implements PlainCall.Sink {
    private final Connection connection;
    private final Exchange exchange;
    boolean isEnded;

    Sink(Connection connection, Exchange exchange) {
      this.connection = connection;
      this.exchange = exchange;
    }

    @Override
    public int limit() {
      return has(Flaw.CUTS_LARGE_ANSWERS) ? Integer.MAX_VALUE : exchange.answerLimit();
    }

    @Override
    public void whole(int status, List<Header> headers, byte[] body) throws IOException {
      isEnded = true;
      byte[] cut =
          has(Flaw.CUTS_LARGE_ANSWERS) && body.length > exchange.answerLimit()
              ? Arrays.copyOf(body, exchange.answerLimit())
              : body;
      if (has(Flaw.FREES_AFTER_ERRORS) && status >= 500) {
        exchange.outcome(OutcomeKind.REFUSED);
      }
      if (has(Flaw.SENDS_BEFORE_IT_RECORDS)) {
        connection.write(status, headers, body);
        exchange.answered(status, headers, Bytes.wrap(body));
        return;
      }
      if (has(Flaw.FREES_WHEN_THE_CLIENT_LEAVES) && isClientGone()) {
        exchange.refused(ProblemType.OPERATION_FAILED, "Gone.");
        return;
      }
      Bytes kept =
          has(Flaw.READS_BODIES_AS_TEXT)
              ? Bytes.utf8(new String(cut, StandardCharsets.UTF_8))
              : Bytes.wrap(cut);
      Answer answer = exchange.answered(status, Flaws.recorded(flaw, headers), kept);
      if (has(Flaw.LETS_UNRECORDED_ANSWERS_LEAVE)) {
        connection.write(status, headers, body);
        return;
      }
      List<Header> sent = new ArrayList<>(answer.headers());
      if (has(Flaw.SENDS_THE_OUTCOME_HEADER)) {
        sent.add(new Header("Retrysafe-Outcome", "final"));
      }
      connection.write(answer.status(), sent, answer.body().toArray());
    }

    private boolean isClientGone() {
      try {
        return connection.next().isEmpty();
      } catch (IOException e) {
        return true;
      }
    }

    @Override
    public OutputStream begin(int status, List<Header> headers) throws IOException {
      boolean isHeld =
          has(Flaw.HOLDS_FLUSHES_BACK)
              || (has(Flaw.REPLAYS_STREAMS) && !exchange.mayBeKept(headers));
      if (isHeld) {
        return new ByteArrayOutputStream() {
          @Override
          public void close() throws IOException {
            whole(status, headers, toByteArray());
          }
        };
      }
      return connection.stream(status, exchange.sendable(headers));
    }

    @Override
    public void ended(int status, List<Header> headers) {
      if (!isEnded) {
        isEnded = true;
        exchange.notKept(status, headers);
      }
    }
  }
}
