// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
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
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Queued;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.State;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Token;
import io.retrysafe.store.Wakeups;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entries in Redis 6.2 or later, or Valkey: one server, Sentinel or Cluster.
 *
 * <p><b>Layout.</b> A hash per key, steps and outcome inside it, in one of 256 hash slots; in each
 * of those a sorted set of the unsettled entries there.
 *
 * <p><b>Atomic step.</b> One script, which runs alone. All callers share one connection; a command
 * is sent at most once, and a call whose connection is lost gets no answer.
 *
 * <p><b>Time</b> is the server's.
 *
 * <p><b>Expiry</b> is the server's too: an unsettled entry ends {@code unsettledRetention} after
 * its lease, a settled one after its retention, a freed one after a minute.
 */
public final class RedisStore
    implements Store,
        Queued,
        Steps,
        Browsable,
        Resolvable,
        History,
        Secrets,
        Metered,
        Wakeups,
        AutoCloseable {
  private static final int LARGEST_STEPS = 64 * 1024;

  private static final int MOST_RENEWED_AT_ONCE = 1000;
  private static final Set<State> UNSETTLED =
      EnumSet.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE);

  private final RedisCommands commands;
  private final String namespace;
  private final Profile profile;
  private final BatchLane claims;
  private final BatchLane completions;
  private final BatchLane releases;
  private final BatchLane renewals;
  private final BatchLane steps;
  private final BatchLane finds;
  private final BatchLane resolutions;
  private final BatchLane secrets;
  private final UnsettledListing unsettledListing;
  private final ScanListing scanListing;
  private final UsageScan usageScan;
  private final EventLog eventLog;
  private final WakeupListeners listeners;

  private RedisStore(Builder builder, RedisConnection connection) {
    this.commands = new RedisCommands(connection, builder.timeout);
    this.namespace = builder.namespace;
    ServerInspection inspection = ServerInspection.of(commands, builder.hasSentinel);
    // A call may wait for its batch to be sent, and then as long as other calls of the batch do.
    this.profile = inspection.profile(builder.unsettledRetention, builder.timeout.multipliedBy(2));
    inspection.warn(System.getLogger(RedisStore.class.getName()));
    byte[] retention = Micros.of(builder.unsettledRetention);
    byte[] publish = EntryKeys.ascii(connection.isCluster() ? "" : "PUBLISH");
    this.claims = commands.lane(Script.CLAIM, retention);
    this.completions = commands.lane(Script.COMPLETE, publish);
    this.releases = commands.lane(Script.RELEASE, retention, publish);
    this.renewals = commands.lane(Script.RENEW, retention);
    this.steps = commands.lane(Script.STEP, Micros.digits(LARGEST_STEPS));
    this.finds = commands.lane(Script.FIND);
    this.resolutions = commands.lane(Script.RESOLVE, retention, publish);
    this.secrets = commands.lane(Script.KEEP);
    this.unsettledListing = new UnsettledListing(commands, finds, namespace);
    this.scanListing = new ScanListing(commands, finds, namespace);
    this.usageScan = new UsageScan(commands, namespace);
    this.eventLog = new EventLog(commands, namespace);
    this.listeners = new WakeupListeners(connection.listener());
  }

  /** Returns a store with all defaults. See {@link #builder(String)} for addresses. */
  public static RedisStore create(String url) {
    return builder(url).build();
  }

  /**
   * Returns a builder with all defaults.
   *
   * @param url {@code redis://host:port}, {@code rediss://…} for TLS, {@code
   *     redis-sentinel://host:port,host:port/0#name} or {@code redis-cluster://host:port,host:port}
   */
  public static Builder builder(String url) {
    Builder builder = new Builder();
    builder.open = () -> RedisClients.open(url, builder.timeout, DisconnectedBehavior.DEFAULT);
    builder.hasSentinel = url.startsWith("redis-sentinel:") || url.startsWith("rediss-sentinel:");
    return builder;
  }

  /** Returns a builder for a store on connections of the application's client, which stays open. */
  public static Builder builder(RedisClient client) {
    Builder builder = new Builder();
    builder.open = () -> RedisClients.open(client);
    return builder;
  }

  /** Returns a builder for a store on connections of the application's client, which stays open. */
  public static Builder builder(RedisClusterClient client) {
    Builder builder = new Builder();
    builder.open = () -> RedisClients.open(client);
    return builder;
  }

  @Override
  public ClaimResult claim(Claim claim) {
    return EntryFormat.claimed(claim.key(), claiming(claim).await());
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return claiming(claim).later().thenApply(answer -> EntryFormat.claimed(claim.key(), answer));
  }

  private ScriptCall claiming(Claim claim) {
    return claims.send(
        commands.call(
            keys(claim.key()),
            EntryFormat.token(claim.token()),
            EntryFormat.terms(claim),
            EntryFormat.identity(claim)));
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    return isTrue(completing(owner, outcome, retention).await());
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return completing(owner, outcome, retention).later().thenApply(RedisStore::isTrue);
  }

  private ScriptCall completing(Owner owner, Outcome outcome, Duration retention) {
    return completions.send(
        commands.call(
            keys(owner.key()),
            EntryFormat.token(owner.token()),
            EntryFormat.phase(outcome),
            bytes(owner.key(), outcome),
            Micros.of(retention)));
  }

  private static byte[] bytes(OperationKey key, Outcome outcome) {
    int largest = ServerInspection.LARGEST_OUTCOME;
    if (OutcomeFormat.isLargerThan(outcome, largest)) {
      throw tooLarge("the outcome of " + key, OutcomeFormat.size(outcome), largest);
    }
    return OutcomeFormat.write(outcome);
  }

  private static RefusedCallException tooLarge(String what, long size, int largest) {
    return new RefusedCallException(
        what + " takes " + size + " bytes, at most " + largest + " fit", null);
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return isTrue(releasing(owner, how).await());
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, Release how, Executor blocking) {
    return releasing(owner, how).later().thenApply(RedisStore::isTrue);
  }

  private ScriptCall releasing(Owner owner, Release how) {
    ScriptCall call =
        commands.call(keys(owner.key()), EntryFormat.token(owner.token()), EntryFormat.phase(how));
    return releases.send(call);
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    Set<Owner> renewed = new HashSet<>();
    @Nullable RefusedCallException refused = null;
    List<Owner> all = List.copyOf(owners);
    // One part after another, so that each owner has the whole time-out.
    for (int from = 0; from < all.size(); from += MOST_RENEWED_AT_ONCE) {
      try {
        renew(all.subList(from, Math.min(all.size(), from + MOST_RENEWED_AT_ONCE)), lease, renewed);
      } catch (RefusedCallException e) {
        // The leases of the other owners must not lapse because of one that is refused.
        refused = e;
      }
    }
    if (refused != null) {
      throw refused;
    }
    return renewed;
  }

  private void renew(List<Owner> owners, Duration lease, Set<Owner> renewed) {
    byte[] micros = Micros.of(lease);
    List<ScriptCall> calls =
        owners.stream()
            .map(one -> commands.call(keys(one.key()), EntryFormat.token(one.token()), micros))
            .toList();
    renewals.send(calls);
    ScriptCall.awaitAll(
        calls,
        (answer, i) -> {
          if (isTrue(answer)) {
            renewed.add(owners.get(i));
          }
        });
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    EntryKeys keys = keys(key);
    ScriptCall call = commands.call(keys, keys.member(), EntryFormat.NOTHING);
    return EntryFormat.found(key, finds.send(call).await());
  }

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    byte[] field = EntryFormat.utf8(UnicodeText.checked("a step's name", name));
    long size = (long) field.length + result.size();
    if (size > LARGEST_STEPS) {
      throw tooLarge("a step of " + owner.key(), size, LARGEST_STEPS);
    }
    ScriptCall call =
        commands.call(keys(owner.key()), EntryFormat.token(owner.token()), field, result.toArray());
    long answer = (Long) steps.send(call).await();
    if (answer < 0) {
      throw tooLarge("with this step, the entry of " + owner.key(), -answer, LARGEST_STEPS);
    }
    return answer == 1;
  }

  @Override
  public int largestSteps() {
    return LARGEST_STEPS;
  }

  @Override
  public Usage usage(long entries, long bytes) {
    return usageScan.usage(entries, bytes);
  }

  @Override
  public Page browse(Query query) {
    return UNSETTLED.containsAll(query.states())
        ? unsettledListing.page(query)
        : scanListing.page(query);
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Resolution resolution) {
    Resolution.@Nullable Done done = resolution instanceof Resolution.Done it ? it : null;
    ScriptCall call =
        commands.call(
            keys(seen.key()),
            EntryFormat.token(token),
            EntryFormat.token(seen.token()),
            Micros.digits(seen.fence()),
            EntryKeys.ascii(resolution(resolution)),
            done == null ? EntryFormat.NOTHING : EntryFormat.phase(done.outcome()),
            done == null ? EntryFormat.NOTHING : bytes(seen.key(), done.outcome()),
            done == null ? EntryFormat.NOTHING : Micros.of(done.retention()));
    return Resolved.valueOf(EntryKeys.text((byte[]) resolutions.send(call).await()));
  }

  private static String resolution(Resolution resolution) {
    if (resolution instanceof Resolution.Done) {
      return "DONE";
    }
    return resolution instanceof Resolution.NotDone ? "NOT_DONE" : "FORGET";
  }

  @Override
  public void append(List<Event> events) {
    eventLog.append(events);
  }

  @Override
  public List<Event> audit(Instant before, int limit) {
    return eventLog.audit(before, limit);
  }

  @Override
  public List<Event> history(OperationKey key) {
    return eventLog.history(key);
  }

  @Override
  public Bytes keep(String name, Bytes value) {
    Secrets.check(name, value);
    byte[][] keys = {EntryKeys.secrets(namespace)};
    ScriptCall call = commands.call(keys, EntryKeys.ascii(name), value.toArray());
    return Bytes.wrap((byte[]) secrets.send(call).await());
  }

  @Override
  public Watch watch(OperationKey key, Runnable wake) {
    return listeners.watch(keys(key), wake);
  }

  /** Closes the store's connections; a client that was made for it ends too. */
  @Override
  public void close() {
    commands.close();
  }

  private EntryKeys keys(OperationKey key) {
    return EntryKeys.of(namespace, key);
  }

  private static boolean isTrue(Object answer) {
    return (Long) answer == 1;
  }

  /** Settings of a Redis store. */
  public static final class Builder {
    private Supplier<RedisConnection> open =
        () -> {
          throw new IllegalStateException("there is no address");
        };
    private boolean hasSentinel;
    private String namespace = "retrysafe";
    private Duration timeout = Duration.ofSeconds(2);
    private Duration startWithin = Duration.ofSeconds(30);
    private Duration unsettledRetention = Profile.DEFAULT_UNSETTLED_RETENTION;

    private Builder() {}

    /**
     * What all keys begin with, {@code retrysafe} by default. Stores with the same namespace share
     * their entries.
     */
    public Builder namespace(String namespace) {
      this.namespace = EntryKeys.checked(namespace);
      return this;
    }

    /** How long a call may take before it counts as not answered; 2 s by default, a day at most. */
    public Builder timeout(Duration timeout) {
      this.timeout = RedisClients.checkedTimeout(timeout);
      return this;
    }

    /** How long to try to reach Redis at the start; 30 s by default. */
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

    /**
     * Connects, and looks at how the servers are set up.
     *
     * @throws NoAnswerException if Redis was not there in time
     * @throws IllegalStateException if it evicts keys or is a replica
     */
    public RedisStore build() {
      RedisConnection connection = connect();
      try {
        return new RedisStore(this, connection);
      } catch (RuntimeException | Error e) {
        connection.close();
        throw e;
      }
    }

    private RedisConnection connect() {
      long end = System.nanoTime() + RedisClients.nanos(startWithin);
      while (true) {
        try {
          return open.get();
        } catch (RedisException e) {
          if (System.nanoTime() > end || Thread.currentThread().isInterrupted()) {
            throw new NoAnswerException("Redis was not there within " + startWithin, e);
          }
          pause();
        }
      }
    }

    private static void pause() {
      try {
        Thread.sleep(100);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
