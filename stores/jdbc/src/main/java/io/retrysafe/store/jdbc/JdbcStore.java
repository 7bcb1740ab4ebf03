// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.internal.UnicodeText;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.Metered;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Token;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Entries in a relational database: PostgreSQL 14 or later, MariaDB 10.6 or later, or a SQLite file
 * of this process.
 *
 * <p><b>Layout.</b> A row per key in {@code retrysafe_entry}, steps and outcome inside it; for
 * people the view {@code retrysafe_operation}. {@link JdbcSchema} makes the tables.
 *
 * <p><b>Atomic step.</b> One statement that decides under the row's lock or the primary key; on
 * SQLite one transaction among others that follow each other. Concurrent calls are combined: what
 * queued up while the last batch was under way goes out as the next.
 *
 * <p><b>Time</b> is the database's, on SQLite the machine's, carried on by the monotonic clock.
 *
 * <p><b>Expiry.</b> Expired rows are absent at once and removed by {@link #sweep}, a few at a time.
 *
 * <p><b>Connections.</b> The store keeps some of its own: one for each lane and a few for calls
 * that go out alone. Lists with settled entries, which may read much, have another for their time,
 * one list after the other, and five times as long as a call.
 */
public final class JdbcStore
    implements Store,
        Queued,
        Steps,
        Sweepable,
        Browsable,
        Resolvable,
        History,
        Secrets,
        Metered,
        AutoCloseable {
  /** What is larger would hold the others of a batch up. */
  private static final int LARGEST_IN_BATCH = 64 * 1024;

  private final StoreContext parts;
  private final RetryLoop retryLoop;
  private final RowStatements rowStatements;
  private final @Nullable ArrayStatements arrayStatements;
  private final Profile profile;

  JdbcStore(StoreContext parts) {
    this.parts = parts;
    this.retryLoop = parts.retryLoop();
    this.rowStatements = parts.rowStatements();
    this.arrayStatements = parts.arrayStatements();
    this.profile = parts.profile();
  }

  /** Returns a store with all defaults. */
  public static JdbcStore create(DataSource source) {
    return builder(source).build();
  }

  /** Returns a builder with all defaults. The tables have to be there: see {@link JdbcSchema}. */
  public static Builder builder(DataSource source) {
    return new Builder(source::getConnection);
  }

  /**
   * Returns a builder for a store in a SQLite file, which it makes, with its tables. Needs the
   * driver {@code org.xerial:sqlite-jdbc}.
   */
  public static Builder embedded(Path file) {
    return new Builder(() -> DriverManager.getConnection("jdbc:sqlite:" + file)).applySchema(true);
  }

  @Override
  public ClaimResult claim(Claim claim) {
    RowId id = RowId.of(claim.key());
    ClaimRequest claiming = new ClaimRequest(claim, id, rowStatements, arrayStatements);
    return retryLoop.ask(id, claiming, ClaimResult.Contended::new);
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    parts.checkSize(owner.key(), outcome);
    RowId id = RowId.of(owner.key());
    CompleteRequest completing = new CompleteRequest(owner, id, outcome, retention, rowStatements);
    return goesAlone(completing)
        ? retryLoop.alone(completing)
        : retryLoop.ask(id, completing, null);
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return staged(
        () -> {
          RowId id = RowId.of(claim.key());
          ClaimRequest claiming = new ClaimRequest(claim, id, rowStatements, arrayStatements);
          return retryLoop.askLater(id, claiming, ClaimResult.Contended::new, blocking);
        });
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return staged(
        () -> {
          parts.checkSize(owner.key(), outcome);
          RowId id = RowId.of(owner.key());
          CompleteRequest completing =
              new CompleteRequest(owner, id, outcome, retention, rowStatements);
          return goesAlone(completing)
              ? retryLoop.aloneLater(completing, blocking)
              : retryLoop.askLater(id, completing, null, blocking);
        });
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, Release how, Executor blocking) {
    return staged(
        () -> {
          RowId id = RowId.of(owner.key());
          ReleaseRequest releasing = new ReleaseRequest(owner, id, how, rowStatements);
          return retryLoop.askLater(id, releasing, null, blocking);
        });
  }

  /** Returns a stage also for a call that fails before it is sent. */
  private static <T> CompletionStage<T> staged(Supplier<CompletionStage<T>> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private boolean goesAlone(CompleteRequest completing) {
    return OutcomeFormat.isLargerThan(completing.outcome(), LARGEST_IN_BATCH)
        && !parts.dialect().hasOneWriter();
  }

  @Override
  public boolean release(Owner owner, Release how) {
    RowId id = RowId.of(owner.key());
    return retryLoop.ask(id, new ReleaseRequest(owner, id, how, rowStatements), null);
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return new Renewals(retryLoop, rowStatements, arrayStatements).renew(owners, lease);
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return retryLoop.read(new FindRequest(key, rowStatements));
  }

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    UnicodeText.checked("a step's name", name);
    int size = StepsFormat.size(name, result);
    if (size > RowStatements.LARGEST_STEPS) {
      return single(
          owner.key(), session -> rowStatements.oversizedStep(session, owner, name, size));
    }
    RowId id = RowId.of(owner.key());
    StepRequest stepping = new StepRequest(owner, id, name, result, rowStatements);
    boolean goesAlone = stepping.bytes() > LARGEST_IN_BATCH && !parts.dialect().hasOneWriter();
    return goesAlone ? retryLoop.alone(stepping) : retryLoop.ask(id, stepping, null);
  }

  @Override
  public int largestSteps() {
    return RowStatements.LARGEST_STEPS;
  }

  @Override
  public Swept sweep(int limit) {
    int removed = 0;
    List<Entry> unsettled = new ArrayList<>();
    while (removed < limit) {
      int part = Sweeping.part(limit - removed);
      Swept swept = retryLoop.plain(session -> parts.sweeping().sweep(session, part));
      removed += swept.removed();
      unsettled.addAll(swept.unsettled());
      if (swept.removed() < part) {
        break;
      }
    }
    return new Swept(removed, unsettled);
  }

  @Override
  public Page browse(Query query) {
    RetryLoop way = EntryListing.hasIndex(query) ? retryLoop : parts.searching();
    return way.plain(session -> parts.pages().page(session, query));
  }

  @Override
  public Usage usage(long entries, long bytes) {
    return parts.searching().plain(session -> parts.pages().usage(session, entries, bytes));
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Resolution word) {
    if (word instanceof Resolution.Done done) {
      parts.checkSize(seen.key(), done.outcome());
    }
    return single(seen.key(), session -> rowStatements.resolve(session, seen, token, word));
  }

  @Override
  public void append(List<Event> events) {
    if (events.isEmpty()) {
      return;
    }
    if (parts.dialect().hasOneWriter()) {
      // With everybody else's calls, in their transaction.
      RowId id = RowId.of(events.get(0).key());
      PendingRequest.Question<Integer> question =
          session -> new AttemptResult.Answered<>(parts.events().append(session, events));
      retryLoop.await(retryLoop.send(id, question), null);
    } else {
      retryLoop.plain(session -> session.atomically(own -> parts.events().append(own, events)));
    }
  }

  @Override
  public List<Event> history(OperationKey key) {
    return retryLoop.plain(session -> parts.events().of(session, key));
  }

  @Override
  public List<Event> audit(Instant before, int limit) {
    return retryLoop.plain(session -> parts.events().audit(session, before, limit));
  }

  @Override
  public Bytes keep(String name, Bytes value) {
    Secrets.check(name, value);
    return retryLoop.alone(session -> rowStatements.keep(session, name, value));
  }

  /**
   * Returns the way to settle operations in the transaction of {@code connection}, together with
   * their effect. Begins one: auto-commit is turned off.
   *
   * @throws IllegalStateException if the isolation of the transaction is too high, see {@link
   *     JoinedTransaction}
   */
  public JoinedTransaction joining(Connection connection) throws SQLException {
    return new JoinedTransaction(parts, connection);
  }

  /** Gives all connections back. Calls under way fail or are answered. */
  @Override
  public void close() {
    parts.close();
  }

  /** Where there is one writer, everything that writes goes through it; elsewhere it goes alone. */
  private <T> T single(OperationKey key, PendingRequest.Question<T> question) {
    return parts.dialect().hasOneWriter()
        ? retryLoop.ask(RowId.of(key), question, null)
        : retryLoop.alone(question);
  }

  /** Settings of a JDBC store. */
  public static final class Builder {
    final SessionPool.Source source;
    Duration timeout = Duration.ofSeconds(2);
    Duration startWithin = Duration.ofSeconds(30);
    Duration unsettledRetention = Profile.DEFAULT_UNSETTLED_RETENTION;
    int lanes = 2;
    int connections = 4;
    boolean appliesSchema;

    private Builder(SessionPool.Source source) {
      this.source = source;
    }

    /**
     * How long a call may take before it counts as not answered; 2 s by default. Statements and
     * lock waits on the database are bounded by it too.
     */
    public Builder timeout(Duration timeout) {
      if (timeout.toMillis() < 1) {
        throw new IllegalArgumentException("timeout must be at least 1 ms, was " + timeout);
      }
      this.timeout = timeout;
      return this;
    }

    /** How long to try to reach the database at the start; 30 s by default. */
    public Builder startWithin(Duration startWithin) {
      this.startWithin = startWithin;
      return this;
    }

    /** How long unsettled entries live past their lease; 30 days by default. */
    public Builder unsettledRetention(Duration unsettledRetention) {
      if (unsettledRetention.isNegative()) {
        throw new IllegalArgumentException(
            "unsettledRetention must not be negative, was " + unsettledRetention);
      }
      this.unsettledRetention = unsettledRetention;
      return this;
    }

    /** How many batches may be under way at once, each on its own connection; 2 by default. */
    public Builder lanes(int lanes) {
      if (lanes < 1) {
        throw new IllegalArgumentException("lanes must be positive, was " + lanes);
      }
      this.lanes = lanes;
      return this;
    }

    /** How many connections calls that go out alone may use; 4 by default. */
    public Builder connections(int connections) {
      if (connections < 1) {
        throw new IllegalArgumentException("connections must be positive, was " + connections);
      }
      this.connections = connections;
      return this;
    }

    /**
     * Whether to make the tables if they are missing; by default they are only checked, except for
     * embedded files.
     */
    public Builder applySchema(boolean applySchema) {
      this.appliesSchema = applySchema;
      return this;
    }

    /**
     * Connects and checks the tables.
     *
     * @throws io.retrysafe.store.NoAnswerException if the database was not there in time
     * @throws IllegalStateException if the tables are missing or differ, or another process has the
     *     file
     */
    public JdbcStore build() {
      return new JdbcStore(StoreContext.of(this));
    }
  }
}
