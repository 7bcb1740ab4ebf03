// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import static io.retrysafe.http.World.post;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.StoreSilent;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;

/** That logs and texts hold neither keys nor bodies. */
final class SecrecyTest {
  private static final String KEY = "secret-key-4242";
  private static final String BODY = "{\"card\":\"4111111111111111\"}";

  private static final class Recorder extends Handler {
    final StringBuilder text = new StringBuilder();

    @Override
    public synchronized void publish(LogRecord record) {
      text.append(new SimpleFormatter().format(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void neitherKeysNorBodiesAreLoggedOrShown() {
    Logger logger = Logger.getLogger("io.retrysafe");
    Recorder recorder = new Recorder();
    logger.addHandler(recorder);
    logger.setLevel(Level.ALL);
    try (World world =
        new World(
            HttpPolicy.create().anonymous(Anonymous.SHARED),
            Map.of("/payments", HttpPolicy.create().storeSilent(StoreSilent.OPEN)))) {
      RequestHead head =
          post(KEY, World.JSON, new Header("Authorization", "Bearer 4111111111111111"));
      Plan plan = world.guard.plan(head);
      Exchange exchange = world.run(head, BODY);
      Answer answer = exchange.answered(200, List.of(), Bytes.utf8(BODY));
      Answer reused = world.answered(head, BODY + " ");
      BeginResult begun = world.begin(head, BODY);
      world.isSilent = true;
      Exchange open = world.run(post("another-secret-key-4242"), BODY);
      open.failed(new IllegalStateException(BODY));

      String shown =
          recorder.text
              + List.of(plan, exchange, answer, begun, head, open, RequestBody.of(Bytes.utf8(BODY)))
                  .toString()
              + reused.body().toUtf8();
      assertThat(shown)
          .contains("share one account")
          .contains("runs without protection")
          .contains("merchant_7 POST /payments #")
          .doesNotContain("4111111111111111")
          .doesNotContain("4242");
    } finally {
      logger.removeHandler(recorder);
      logger.setLevel(null);
    }
  }
}
