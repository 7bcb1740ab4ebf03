// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.retrysafe.Outcome.Attribute;
import io.retrysafe.Outcome.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OutcomeTest {
  private static final List<Attribute> ATTRIBUTES = List.of(new Attribute("Location", "/c/1"));

  @Test
  void anOutcomeIsFinalOrFailed() {
    assertThat(Outcome.of(Bytes.utf8("x")).kind()).isEqualTo(Kind.FINAL);
    assertThat(Outcome.of(Bytes.utf8("x")).status()).isZero();
    assertThat(Outcome.of(201, ATTRIBUTES, Bytes.EMPTY).kind()).isEqualTo(Kind.FINAL);
    assertThat(Outcome.failed(500, ATTRIBUTES, Bytes.EMPTY).kind()).isEqualTo(Kind.FAILED);
  }

  @Test
  void withoutItsAnswerAnOutcomeKeepsKindAndStatus() {
    Outcome outcome = Outcome.failed(500, ATTRIBUTES, Bytes.utf8("x")).withoutAnswer();

    assertThat(outcome).isEqualTo(new Outcome(Kind.FAILED, 500, List.of(), Bytes.EMPTY, false));
  }

  @Test
  void anAnswerThatIsNotKeptHasNeitherAttributesNorBody() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Outcome(Kind.FINAL, 200, ATTRIBUTES, Bytes.EMPTY, false));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Outcome(Kind.FINAL, 200, List.of(), Bytes.utf8("x"), false));
  }

  @Test
  void laterChangesOfTheListDoNotChangeTheOutcome() {
    List<Attribute> attributes = new ArrayList<>(ATTRIBUTES);
    Outcome outcome = Outcome.of(200, attributes, Bytes.EMPTY);

    attributes.clear();

    assertThat(outcome.attributes()).isEqualTo(ATTRIBUTES);
  }
}
