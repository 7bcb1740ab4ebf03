// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** The HTTP contract as tests. An adapter's test extends it and returns a fixture; that is all. */
@TestInstance(Lifecycle.PER_CLASS)
@DisplayNameGeneration(RuleNames.class)
@ExtendWith(ContractReport.class)
public abstract class HttpContract {
  private @Nullable Stage opened;

  /** Returns the adapter under test. Called once, before the first test. */
  protected abstract HttpFixture fixture();

  /**
   * Returns what the adapter is called in the table of rules and adapters: by default the name of a
   * class that ends with {@code ContractTest}. Others are not in the table.
   */
  protected String adapter() {
    String name = getClass().getSimpleName();
    return name.endsWith("ContractTest")
        ? name.substring(0, name.length() - "ContractTest".length())
        : "";
  }

  @BeforeAll
  void open() throws Exception {
    opened = new Stage(fixture());
  }

  @AfterAll
  void close() throws Exception {
    if (opened != null) {
      opened.close();
    }
  }

  private Stage stage() {
    if (opened == null) {
      throw new IllegalStateException("no instance was started");
    }
    return opened;
  }

  @Nested
  class Keys extends KeyRules {
    Keys() {
      super(stage());
    }
  }

  @Nested
  class Replays extends ReplayRules {
    Replays() {
      super(stage());
    }
  }

  @Nested
  class Fingerprints extends FingerprintRules {
    Fingerprints() {
      super(stage());
    }
  }

  @Nested
  class Duplicates extends DuplicateRules {
    Duplicates() {
      super(stage());
    }
  }

  @Nested
  class Outcomes extends OutcomeRules {
    Outcomes() {
      super(stage());
    }
  }

  @Nested
  class Bodies extends BodyRules {
    Bodies() {
      super(stage());
    }
  }

  @Nested
  class Limits extends LimitRules {
    Limits() {
      super(stage());
    }
  }

  @Nested
  class Trouble extends TroubleRules {
    Trouble() {
      super(stage());
    }
  }
}
