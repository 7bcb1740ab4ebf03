// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
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
import io.retrysafe.store.jdbc.Request.ClaimRequest;
import io.retrysafe.store.jdbc.Request.CompleteRequest;
import io.retrysafe.store.jdbc.Request.OtherRequest;
import io.retrysafe.store.jdbc.Request.ReleaseRequest;
import io.retrysafe.store.jdbc.Request.StepRequest;
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

  private final StoreContext context;
  private final RequestQueue queue;
  private final RetryLoop retryLoop;
  private final EntryStatements entries;

  JdbcStore(StoreContext context) {
    this.context = context;
    this.queue = context.queue();
    this.retryLoop = context.retryLoop();
    this.entries = context.entries();
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
    return queue.send(new ClaimRequest(claim), ClaimResult.Contended::new);
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return staged(
        () -> queue.sendLater(new ClaimRequest(claim), ClaimResult.Contended::new, blocking));
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    CompleteRequest request = completion(owner, outcome, retention);
    return goesAlone(OutcomeFormat.isLargerThan(outcome, LARGEST_IN_BATCH))
        ? queue.sendAlone(request)
        : queue.send(request, null);
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return staged(
        () -> {
          CompleteRequest request = completion(owner, outcome, retention);
          return goesAlone(OutcomeFormat.isLargerThan(outcome, LARGEST_IN_BATCH))
              ? queue.sendAloneLater(request, blocking)
              : queue.sendLater(request, null, blocking);
        });
  }

  private CompleteRequest completion(Owner owner, Outcome outcome, Duration retention) {
    context.checkSize(owner.key(), outcome);
    return new CompleteRequest(owner, outcome, retention);
  }

  /** Returns a stage also for a call that fails before it is sent. */
  private static <T> CompletionStage<T> staged(Supplier<CompletionStage<T>> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private boolean goesAlone(boolean isLarge) {
    return isLarge && !context.dialect().hasOneWriter();
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return queue.send(new ReleaseRequest(owner, how), null);
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, Release how, Executor blocking) {
    return staged(() -> queue.sendLater(new ReleaseRequest(owner, how), null, blocking));
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return new Renewals(queue, retryLoop).renew(owners, lease);
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return retryLoop.find(key);
  }

  @Override
  public Profile profile() {
    return context.profile();
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    UnicodeText.checked("a step's name", name);
    StepRequest request = new StepRequest(owner, name, result);
    if (request.size() > EntryStatements.LARGEST_STEPS) {
      return single(
          owner.key(), session -> entries.oversizedStep(session, owner, name, request.size()));
    }
    return goesAlone(request.bytes() > LARGEST_IN_BATCH)
        ? queue.sendAlone(request)
        : queue.send(request, null);
  }

  @Override
  public int largestSteps() {
    return EntryStatements.LARGEST_STEPS;
  }

  @Override
  public Swept sweep(int limit) {
    int removed = 0;
    List<Entry> unsettled = new ArrayList<>();
    while (removed < limit) {
      int part = Sweeping.part(limit - removed);
      Swept swept = retryLoop.run(session -> context.sweeping().sweep(session, part));
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
    RetryLoop loop = EntryListing.hasIndex(query) ? retryLoop : context.searching();
    return loop.run(session -> context.listing().page(session, query));
  }

  @Override
  public Usage usage(long entries, long bytes) {
    return context.searching().run(session -> context.listing().usage(session, entries, bytes));
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Resolution word) {
    if (word instanceof Resolution.Done done) {
      context.checkSize(seen.key(), done.outcome());
    }
    return single(seen.key(), session -> entries.resolve(session, seen, token, word));
  }

  @Override
  public void append(List<Event> events) {
    if (events.isEmpty()) {
      return;
    }
    if (context.dialect().hasOneWriter()) {
      // With all other writes, in their transaction.
      single(
          events.get(0).key(),
          session -> new AttemptResult.Answered<>(context.events().append(session, events)));
    } else {
      retryLoop.run(session -> session.atomically(own -> context.events().append(own, events)));
    }
  }

  @Override
  public List<Event> history(OperationKey key) {
    return retryLoop.run(session -> context.events().of(session, key));
  }

  @Override
  public List<Event> audit(Instant before, int limit) {
    return retryLoop.run(session -> context.events().audit(session, before, limit));
  }

  @Override
  public Bytes keep(String name, Bytes value) {
    Secrets.check(name, value);
    // It is no entry; a request has a row all the same.
    RowId row = RowId.of(OperationKey.of(Scope.of("secret"), name));
    return queue.sendAlone(new OtherRequest<>(row, session -> entries.keep(session, name, value)));
  }

  /**
   * Returns the way to settle operations in the transaction of {@code connection}, together with
   * their effect. Begins one: auto-commit is turned off.
   *
   * @throws IllegalStateException if the isolation of the transaction is too high, see {@link
   *     JoinedTransaction}
   */
  public JoinedTransaction joining(Connection connection) throws SQLException {
    return new JoinedTransaction(context, connection);
  }

  /** Gives all connections back. Calls under way fail or are answered. */
  @Override
  public void close() {
    context.close();
  }

  /** Where there is one writer, all writes go through it; elsewhere they go alone. */
  private <T> T single(OperationKey key, Session.Work<AttemptResult<T>> work) {
    OtherRequest<T> request = new OtherRequest<>(RowId.of(key), work);
    return context.dialect().hasOneWriter() ? queue.send(request, null) : queue.sendAlone(request);
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
