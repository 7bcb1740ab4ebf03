// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.UnicodeText;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Metered;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Queued;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Secrets;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Token;
import io.retrysafe.store.Wakeups;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

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

  /** Some scripts: more wait in the process, not in the connection that all calls share. */
  private static final int MOST_RENEWED_AT_ONCE = 1000;

  private final Calls calls;
  private final Pages pages;
  private final Watches watches;
  private final Histories histories;
  private final Audit audit;
  private final Profile profile;
  private final String namespace;
  private final byte[] unsettled;
  private final byte[] publish;
  private final Lane claims;
  private final Lane completions;
  private final Lane releases;
  private final Lane renewals;
  private final Lane steps;
  private final Lane finds;
  private final Lane resolutions;
  private final Lane secrets;

  private RedisStore(Builder builder, Link link) {
    this.calls = new Calls(link, builder.timeout);
    this.namespace = builder.namespace;
    Inspection inspection = Inspection.of(calls, builder.isWatched);
    // A call may wait for its batch to be sent, and then with it as long as others of the batch do.
    this.profile = inspection.profile(builder.unsettledRetention, builder.timeout.multipliedBy(2));
    inspection.warn(System.getLogger(RedisStore.class.getName()));
    this.watches = new Watches(link.listening());
    this.histories = new Histories(calls, namespace);
    this.audit = new Audit(calls, namespace);
    this.unsettled = Micros.of(builder.unsettledRetention);
    this.publish = Name.ascii(link.isCluster() ? "" : "PUBLISH");
    this.claims = calls.laneWithOutcomes(Script.CLAIM, Row::isClaimed, unsettled);
    this.completions = calls.lane(Script.COMPLETE, Row::isFlag, publish);
    this.releases = calls.lane(Script.RELEASE, Row::isFlag, unsettled, publish);
    this.renewals = calls.lane(Script.RENEW, Row::isFlag, unsettled);
    this.steps = calls.lane(Script.STEP, Row::isStep, Micros.digits(LARGEST_STEPS));
    this.finds = calls.laneWithOutcomes(Script.FIND, Row::isFound);
    this.resolutions = calls.lane(Script.RESOLVE, Row::isBytes, unsettled, publish);
    this.secrets = calls.lane(Script.KEEP, Row::isBytes);
    this.pages = new Pages(calls, finds, namespace);
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
    builder.open = () -> Links.open(url, builder.timeout, DisconnectedBehavior.DEFAULT);
    builder.isWatched = url.startsWith("redis-sentinel:") || url.startsWith("rediss-sentinel:");
    return builder;
  }

  /** Returns a builder for a store on connections of the application's client, which stays open. */
  public static Builder builder(RedisClient client) {
    Builder builder = new Builder();
    builder.open = () -> Links.open(client);
    return builder;
  }

  /** Returns a builder for a store on connections of the application's client, which stays open. */
  public static Builder builder(RedisClusterClient client) {
    Builder builder = new Builder();
    builder.open = () -> Links.open(client);
    return builder;
  }

  @Override
  public ClaimResult claim(Claim claim) {
    return Row.claimed(claim.key(), claiming(claim).await());
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return claiming(claim).later().thenApply(answer -> Row.claimed(claim.key(), answer));
  }

  private Call claiming(Claim claim) {
    return calls.send(
        claims, name(claim.key()), Row.token(claim.token()), Row.terms(claim), Row.identity(claim));
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

  private Call completing(Owner owner, Outcome outcome, Duration retention) {
    return calls.send(
        completions,
        name(owner.key()),
        Row.token(owner.token()),
        Row.phase(outcome),
        bytes(owner.key(), outcome),
        Micros.of(retention));
  }

  private static byte[] bytes(OperationKey key, Outcome outcome) {
    if (OutcomeFormat.isLargerThan(outcome, Inspection.LARGEST_OUTCOME)) {
      throw new RefusedCallException(
          "the outcome of "
              + key
              + " has "
              + OutcomeFormat.size(outcome)
              + " bytes, at most "
              + Inspection.LARGEST_OUTCOME
              + " fit",
          null);
    }
    return OutcomeFormat.write(outcome);
  }

  @Override
  public boolean release(Owner owner, LeaveAs how) {
    return isTrue(releasing(owner, how).await());
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, LeaveAs how, Executor blocking) {
    return releasing(owner, how).later().thenApply(RedisStore::isTrue);
  }

  private Call releasing(Owner owner, LeaveAs how) {
    return calls.send(releases, name(owner.key()), Row.token(owner.token()), Row.phase(how));
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    byte[] micros = Micros.of(lease);
    Set<Owner> renewed = new HashSet<>();
    List<RefusedCallException> refused = new ArrayList<>();
    List<Owner> all = List.copyOf(owners);
    // Part after part, so that other calls get their turn and each owner has the whole time-out.
    for (int from = 0; from < all.size(); from += MOST_RENEWED_AT_ONCE) {
      List<Owner> part = all.subList(from, Math.min(all.size(), from + MOST_RENEWED_AT_ONCE));
      renew(part, micros, renewed, refused);
    }
    if (!refused.isEmpty()) {
      throw refused.get(0);
    }
    return renewed;
  }

  /** Renews some owners; that one of them is refused does not let the leases of others lapse. */
  private void renew(
      List<Owner> part, byte[] lease, Set<Owner> renewed, List<RefusedCallException> refused) {
    List<Call> sent = new ArrayList<>(part.size());
    try {
      for (Owner owner : part) {
        byte[] token = Row.token(owner.token());
        sent.add(calls.send(renewals, name(owner.key()), token, lease));
      }
      for (int i = 0; i < part.size(); i++) {
        try {
          if (isTrue(sent.get(i).await())) {
            renewed.add(part.get(i));
          }
        } catch (RefusedCallException e) {
          refused.add(e);
        }
      }
    } finally {
      sent.forEach(Call::giveUp);
    }
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    Name name = name(key);
    return Row.found(key, calls.send(finds, name, name.member(), Row.NOTHING).await());
  }

  @Override
  public Profile profile() {
    return profile;
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    byte[] field = Row.utf8(UnicodeText.checked("a step's name", name));
    long size = (long) field.length + result.size();
    if (size > LARGEST_STEPS) {
      throw tooLarge(owner.key(), size);
    }
    Call call =
        calls.send(steps, name(owner.key()), Row.token(owner.token()), field, result.toArray());
    long answer = (Long) call.await();
    if (answer < 0) {
      throw tooLarge(owner.key(), -answer);
    }
    return answer == 1;
  }

  private static RefusedCallException tooLarge(OperationKey key, long size) {
    return new RefusedCallException(
        "the steps of " + key + " would take " + size + " bytes, at most " + LARGEST_STEPS + " fit",
        null);
  }

  @Override
  public int largestSteps() {
    return LARGEST_STEPS;
  }

  @Override
  public Usage usage(long entries, long bytes) {
    return new Counting(calls, namespace).usage(entries, bytes);
  }

  @Override
  public Page browse(Query query) {
    return pages.page(query);
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Word word) {
    Call call =
        calls.send(
            resolutions,
            name(seen.key()),
            Row.token(token),
            Row.token(seen.token()),
            Micros.digits(seen.fence()),
            Name.ascii(word(word)),
            word instanceof Word.Done done ? Row.phase(done.outcome()) : Row.NOTHING,
            word instanceof Word.Done done ? bytes(seen.key(), done.outcome()) : Row.NOTHING,
            word instanceof Word.Done done ? Micros.of(done.retention()) : Row.NOTHING);
    return resolved((byte[]) call.await());
  }

  private static Resolved resolved(byte[] answer) {
    String name = Row.text(answer);
    for (Resolved resolved : Resolved.values()) {
      if (resolved.name().equals(name)) {
        return resolved;
      }
    }
    throw new NoAnswerException("Redis answered something else than a resolution", null);
  }

  private static String word(Word word) {
    if (word instanceof Word.Done) {
      return "DONE";
    }
    return word instanceof Word.NotDone ? "NOT_DONE" : "FORGET";
  }

  @Override
  public void append(List<Event> events) {
    histories.append(events);
    audit.add(events);
  }

  @Override
  public List<Event> audit(Instant before, int limit) {
    return audit.list(before, limit);
  }

  @Override
  public List<Event> history(OperationKey key) {
    return histories.of(key);
  }

  @Override
  public Bytes keep(String name, Bytes value) {
    Secrets.check(name, value);
    byte[][] keys = {Name.secrets(namespace)};
    Call call = calls.send(secrets, keys, Name.ascii(name), value.toArray());
    return Bytes.wrap((byte[]) call.await());
  }

  @Override
  public Watch watch(OperationKey key, Runnable wake) {
    return watches.watch(name(key), wake);
  }

  /** Closes the store's connections; a client that was made for it ends too. */
  @Override
  public void close() {
    calls.close();
  }

  private Name name(OperationKey key) {
    return Name.of(namespace, key);
  }

  private static boolean isTrue(Object answer) {
    return (Long) answer == 1;
  }

  /** Settings of a Redis store. */
  public static final class Builder {
    private Supplier<Link> open =
        () -> {
          throw new IllegalStateException("there is no address");
        };
    private boolean isWatched;
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
      this.namespace = Name.checked(namespace);
      return this;
    }

    /** How long a call may take before it counts as not answered; 2 s by default, a day at most. */
    public Builder timeout(Duration timeout) {
      this.timeout = Call.checked(timeout);
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
      Link link = connect();
      try {
        return new RedisStore(this, link);
      } catch (RuntimeException | Error e) {
        link.close();
        throw e;
      }
    }

    private Link connect() {
      long end = System.nanoTime() + Call.nanos(startWithin);
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
