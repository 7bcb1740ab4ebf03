// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a caller asks of one row, as data. The store may send it any number of times. */
sealed interface Request<T> {
  /** Returns the row; batches are sorted by it. */
  RowId id();

  /** Returns the scope of the row's key, null if the request is about no single key. */
  default @Nullable Scope scope() {
    return null;
  }

  /** Returns how many bytes of a batch it takes, besides a few hundred. */
  default long bytes() {
    return 0;
  }

  /** Returns the request as it is sent again after an attempt that decided nothing. */
  default Request<T> again() {
    return this;
  }

  /**
   * Reads the answer of a request that was {@link AttemptResult.Large}.
   *
   * @param limit the most bytes that it may have; one that has more is large again
   */
  default AttemptResult<T> readLarge(EntryStatements entries, Session session, int limit)
      throws SQLException {
    throw new IllegalStateException("only claims have large answers");
  }

  /**
   * Claims a key.
   *
   * @param isAgain whether it was sent before, so that its key is hardly new
   */
  record ClaimRequest(Claim claim, RowId id, boolean isAgain) implements Request<ClaimResult> {
    ClaimRequest(Claim claim) {
      this(claim, RowId.of(claim.key()), false);
    }

    @Override
    public Scope scope() {
      return claim.key().scope();
    }

    @Override
    public ClaimRequest again() {
      return new ClaimRequest(claim, id, true);
    }

    @Override
    public AttemptResult<ClaimResult> readLarge(EntryStatements entries, Session session, int limit)
        throws SQLException {
      return entries.held(session, this, limit);
    }
  }

  /** Writes the entry of an owner. The answer is whether the entry is the owner's. */
  sealed interface OwnerRequest extends Request<Boolean> {
    Owner owner();

    @Override
    default Scope scope() {
      return owner().key().scope();
    }
  }

  /** Records the outcome of an entry. */
  record CompleteRequest(Owner owner, RowId id, Outcome outcome, Duration retention)
      implements OwnerRequest {
    CompleteRequest(Owner owner, Outcome outcome, Duration retention) {
      this(owner, RowId.of(owner.key()), outcome, retention);
      if (outcome.attributes().size() > Short.MAX_VALUE) {
        // Throws here, in the caller's thread: in a batch it would be the others' failure too.
        OutcomeFormat.write(outcome);
      }
    }

    @Override
    public long bytes() {
      return outcome.body().size();
    }
  }

  /** Releases an entry. */
  record ReleaseRequest(Owner owner, RowId id, Release how) implements OwnerRequest {
    ReleaseRequest(Owner owner, Release how) {
      this(owner, RowId.of(owner.key()), how);
    }
  }

  /** Adds a step to an entry. */
  record StepRequest(Owner owner, RowId id, String name, Bytes result) implements OwnerRequest {
    StepRequest(Owner owner, String name, Bytes result) {
      this(owner, RowId.of(owner.key()), name, result);
    }

    int size() {
      return StepsFormat.size(name, result);
    }

    /** Steps are written in hexadecimal. */
    @Override
    public long bytes() {
      return 2L * size();
    }
  }

  /** Renews the lease of an entry. */
  record RenewRequest(Owner owner, RowId id, Duration lease) implements OwnerRequest {
    RenewRequest(Owner owner, Duration lease) {
      this(owner, RowId.of(owner.key()), lease);
    }
  }

  /** Anything else that writes: it shares a transaction with others, but no statement. */
  record OtherRequest<T>(RowId id, Session.Work<AttemptResult<T>> work) implements Request<T> {}
}
