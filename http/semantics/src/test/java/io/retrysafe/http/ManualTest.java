// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.body.BodySpool;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.http.settings.KeyFormat;
import io.retrysafe.http.settings.KeyRule;
import io.retrysafe.http.settings.OnFailure;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.store.memory.MemoryStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The manual's code runs, and its tables are those of the code. */
final class ManualTest {
  private static final Path MANUAL =
      Path.of(System.getProperty("retrysafe.root", "../.."), "docs", "http.md");

  /** What an adapter has of a request and its response. */
  record Sent(RequestHead head, InputStream body) {}

  /** What the application does with a request. */
  interface Application {
    Answer handle(RequestBody body);
  }

  private static HttpGuard guard(Retrysafe engine) {
    // snippet:guard
    HttpGuard guard =
        HttpGuard.builder(engine)
            .policy(HttpPolicy.create().retention(Duration.ofDays(2)))
            .route("POST /payments", HttpPolicy.create().keyFormat(KeyFormat.uuid()))
            .route("POST /orders/{id}/capture", HttpPolicy.create().failures(OnFailure.RELEASE))
            .route("POST /carts", HttpPolicy.create().key(KeyRule.from("/cart/id")))
            .build();
    // end
    return guard;
  }

  private static Answer adapt(HttpGuard guard, Sent sent, Application application)
      throws IOException {
    // snippet:adapter
    Plan plan = guard.plan(sent.head());
    if (plan instanceof Plan.Refused refused) {
      return refused.answer();
    }
    if (!(plan instanceof Plan.ReadBody readBody)) {
      return application.handle(RequestBody.EMPTY); // none of ours: untouched
    }
    try (BodySpool spool = readBody.spool()) {
      if (!spool.readFrom(sent.body())) {
        return readBody.bodyTooLarge();
      }
      try (RequestBody body = spool.body()) {
        BeginResult result = guard.begin(readBody, body);
        if (result instanceof BeginResult.Answered answered) {
          return answered.answer(); // a replay or a problem
        }
        Exchange exchange = ((BeginResult.Run) result).exchange();
        try {
          Answer own = application.handle(body);
          return exchange.answered(own.status(), own.headers(), own.body());
        } catch (RuntimeException e) {
          return exchange.failed(e);
        }
      }
    }
    // end
  }

  @Test
  void theAdapterOfTheManualWorks() throws Exception {
    try (Retrysafe engine = Retrysafe.create(MemoryStore.create())) {
      HttpGuard guard = guard(engine);
      Answer own = new Answer(201, List.of(), Bytes.utf8("charged"), Answer.Source.HANDLER);
      RequestHead head = World.post(World.freshKey());

      Answer first = adapt(guard, new Sent(head, InputStream.nullInputStream()), body -> own);
      Answer retry =
          adapt(
              guard,
              new Sent(head, InputStream.nullInputStream()),
              body -> {
                throw new AssertionError("ran twice");
              });

      assertThat(first).isEqualTo(own);
      assertThat(retry.body()).isEqualTo(own.body());
      assertThat(retry.source()).isEqualTo(Answer.Source.REPLAY);
    }
  }

  @Test
  void theTableOfSettingsIsThatOfTheCode() throws IOException {
    StringBuilder table = new StringBuilder("| setting | value | default | |\n|---|---|---|---|\n");
    for (Setting<?> setting : Settings.all()) {
      table
          .append("| `")
          .append(setting.name())
          .append("` | ")
          .append(cell(setting.type()))
          .append(" | ")
          .append(cell(setting.standardText()))
          .append(" | ")
          .append(cell(setting.doc()))
          .append(setting.isShared() ? " For all routes." : "")
          .append(" |\n");
    }
    shows("settings", table.toString());
  }

  @Test
  void theTableOfProblemsIsThatOfTheCode() throws IOException {
    StringBuilder table =
        new StringBuilder("| problem | status | retryable | |\n|---|---|---|---|\n");
    for (ProblemType type : ProblemType.values()) {
      table
          .append("| `")
          .append(type.word())
          .append("` | ")
          .append(type.status())
          .append(" | ")
          .append(type.isRetryable() ? "yes" : "no")
          .append(" | ")
          .append(type.title())
          .append(". |\n");
    }
    shows("problems", table.toString());
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }

  /** With the system property retrysafe.docs=write the table is written instead. */
  private static void shows(String name, String table) throws IOException {
    String manual = Files.readString(MANUAL);
    String begin = "<!-- " + name + ":begin -->\n";
    int from = manual.indexOf(begin) + begin.length();
    int to = manual.indexOf("<!-- " + name + ":end -->");
    assertThat(from).as("place for %s", name).isGreaterThan(begin.length() - 1);
    if ("write".equals(System.getProperty("retrysafe.docs"))) {
      Files.writeString(MANUAL, manual.substring(0, from) + table + manual.substring(to));
    } else {
      assertThat(manual.substring(from, to)).isEqualTo(table);
    }
  }
}
