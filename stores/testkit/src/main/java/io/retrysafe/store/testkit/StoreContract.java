// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.testkit.Contract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * The store contract as tests. A store's test extends it and returns a fixture; that is all.
 *
 * <p>Rules about capabilities that the store does not have are reported as not offered, those about
 * situations that it cannot get into as not applicable; both are skipped tests with that reason.
 */
public abstract class StoreContract implements Contract {
  private @Nullable StoreFixture opened;
  private String storeName = "";

  /** Returns a new fixture. Called once, before the first test; it is closed after the last. */
  protected abstract StoreFixture fixture();

  @BeforeAll
  void open() {
    opened = fixture();
    storeName = opened.name();
  }

  @AfterAll
  void close() {
    if (opened != null) {
      opened.close();
    }
  }

  @Override
  public final String contractName() {
    return "store-contract";
  }

  @Override
  public final String subjectName() {
    return storeName;
  }

  private StoreFixture opened() {
    if (opened == null) {
      throw new IllegalStateException("the fixture is not open");
    }
    return opened;
  }

  @Nested
  class Claiming extends ClaimingRules {
    Claiming() {
      super(opened());
    }
  }

  @Nested
  class Keys extends KeyRules {
    Keys() {
      super(opened());
    }
  }

  @Nested
  class Completing extends CompletingRules {
    Completing() {
      super(opened());
    }
  }

  @Nested
  class Releasing extends ReleasingRules {
    Releasing() {
      super(opened());
    }
  }

  @Nested
  class Renewing extends RenewingRules {
    Renewing() {
      super(opened());
    }
  }

  @Nested
  class Expiry extends ExpiryRules {
    Expiry() {
      super(opened());
    }
  }

  @Nested
  class Races extends RaceRules {
    Races() {
      super(opened());
    }
  }

  @Nested
  class LostAnswers extends LostAnswerRules {
    LostAnswers() {
      super(opened());
    }
  }

  @Nested
  class StaleOwners extends StaleOwnerRules {
    StaleOwners() {
      super(opened());
    }
  }

  @Nested
  class Steps extends StepRules {
    Steps() {
      super(opened());
    }
  }

  @Nested
  class Sweeping extends SweepingRules {
    Sweeping() {
      super(opened());
    }
  }

  @Nested
  class Browsing extends BrowsingRules {
    Browsing() {
      super(opened());
    }
  }

  @Nested
  class Resolving extends ResolvingRules {
    Resolving() {
      super(opened());
    }
  }

  @Nested
  class History extends HistoryRules {
    History() {
      super(opened());
    }
  }

  @Nested
  class Secrets extends SecretRules {
    Secrets() {
      super(opened());
    }
  }

  @Nested
  class Metering extends MeteringRules {
    Metering() {
      super(opened());
    }
  }

  @Nested
  class Capabilities extends CapabilityRules {
    Capabilities() {
      super(opened());
    }
  }
}
