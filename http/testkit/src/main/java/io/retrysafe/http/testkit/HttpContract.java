// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.testkit.Contract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The HTTP contract as tests. An adapter's test extends it and returns a fixture; that is all. */
public abstract class HttpContract implements Contract {
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

  @Override
  public final String contractName() {
    return "http-contract";
  }

  @Override
  public final String subjectName() {
    return adapter();
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
