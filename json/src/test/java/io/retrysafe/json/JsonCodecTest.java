// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.DeclaredOperation;
import io.retrysafe.Fingerprint;
import io.retrysafe.Retrysafe;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

final class JsonCodecTest {
  record Receipt(String paymentId, long cents, Instant paidAt) {}

  private static final Receipt RECEIPT =
      new Receipt("pay_1", 2500, Instant.parse("2026-11-17T04:05:06Z"));

  @Test
  void aRetryGetsAnEqualResult() {
    try (Retrysafe retrysafe = Retrysafe.create(MemoryStore.create())) {
      DeclaredOperation<Receipt> pay = retrysafe.operation("pay", JsonCodec.of(Receipt.class));
      Receipt first = pay.run("merchant_7", "order-1", Fingerprint.NONE, operation -> RECEIPT);
      Receipt again =
          pay.run(
              "merchant_7",
              "order-1",
              Fingerprint.NONE,
              operation -> {
                throw new AssertionError("ran twice");
              });
      assertThat(first).isEqualTo(RECEIPT);
      assertThat(again).isEqualTo(RECEIPT);
    }
  }

  @Test
  void theRecordedFormIsPlainJson() {
    JsonMapper mapper = JsonMapper.builder().build();
    assertThat(mapper.readTree(JsonCodec.of(Receipt.class).encode(RECEIPT).toUtf8()))
        .isEqualTo(
            mapper.readTree(
                "{\"paymentId\":\"pay_1\",\"cents\":2500,\"paidAt\":\"2026-11-17T04:05:06Z\"}"));
  }

  @Test
  void genericTypesKeepTheirArguments() {
    Codec<List<Receipt>> codec = JsonCodec.of(new TypeReference<List<Receipt>>() {});
    assertThat(codec.decode(codec.encode(List.of(RECEIPT)))).containsExactly(RECEIPT);
  }

  @Test
  void theApplicationsOwnMapperDecides() {
    JsonMapper snake =
        JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
    Codec<Receipt> codec = JsonCodec.of(snake, Receipt.class);
    assertThat(codec.encode(RECEIPT).toUtf8()).contains("\"payment_id\"");
    assertThat(codec.decode(codec.encode(RECEIPT))).isEqualTo(RECEIPT);
  }

  @Test
  void aMemberThatALaterReleaseAddedIsIgnored() {
    Bytes later =
        Bytes.utf8(
            "{\"paymentId\":\"pay_1\",\"cents\":2500,\"paidAt\":\"2026-11-17T04:05:06Z\",\"tip\":1}");
    assertThat(JsonCodec.of(Receipt.class).decode(later)).isEqualTo(RECEIPT);
  }

  @Test
  void anUnreadableResultIsAClearErrorThatShowsNothingOfIt() {
    Bytes other = Bytes.utf8("{\"cents\":\"4111-1111\"}");
    assertThatIllegalStateException()
        .isThrownBy(() -> JsonCodec.of(Receipt.class).decode(other))
        .withMessageContaining("Receipt")
        .withMessageContaining("until the retention has passed")
        .withMessageNotContaining("4111")
        .withNoCause();
  }
}
