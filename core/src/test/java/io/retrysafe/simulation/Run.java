// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.InProgressException;
import io.retrysafe.OpenSeam;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.simulation.Plan.Act;
import io.retrysafe.simulation.Plan.Settings;
import io.retrysafe.simulation.Plan.Trouble;
import io.retrysafe.simulation.Plan.Try;
import io.retrysafe.store.Entry;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.Standing;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One history: engines on one store, callers, an operator, and what goes wrong. Then nothing goes
 * wrong any more, everything must come to its end, and every key is tried once more.
 */
final class Run {
  private static final int SETTLE = 40_000;
  /** Long enough for an engine to forget a failure of a kind of calls that it no longer makes. */
  private static final int LAST_TRIES = 70_000;
  private static final int LARGEST_ANSWER = 80;

  private final World world;
  private final Scheduler scheduler;
  private final Settings settings;
  private final Defect defect;
  private final Truth truth;
  private final Upstream upstream;
  private final List<Place> slots = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final Map<Thread, Long> patience = new HashMap<>();

  private Run(World world, Defect defect) {
    this.world = world;
    this.scheduler = world.scheduler;
    this.settings = world.plan.settings();
    this.defect = defect;
    MemoryStore memory =
        MemoryStore.builder()
            .clock(world::storeTime)
            .unsettledRetention(Duration.ofMillis(settings.unsettledRetention()))
            .build();
    this.upstream = new Upstream(world);
    this.truth = new Truth(world, defect.inStore(memory, world), upstream);
    for (int i = 0; i < settings.slots(); i++) {
      slots.add(new Place(i));
    }
  }

  /** What a history showed. */
  record Result(@Nullable Violation violation, List<String> trace) {}

  static Result of(
      Plan plan, Scheduler scheduler, Coverage coverage, Defect defect, World.Watch watch) {
    scheduler.reset(plan.seed());
    World world = new World(scheduler, plan, coverage, watch);
    try {
      new Run(world, defect).play();
    } finally {
      scheduler.clear();
    }
    return new Result(world.violation(), world.trace.lines());
  }

  private void play() {
    for (Try call : world.plan.tries()) {
      call(call);
    }
    if (settings.hasOperator()) {
      for (int at = 6_000; at < Plan.FAULTS_UNTIL + 10_000; at += 6_000) {
        scheduler.at(millis(at), this::resolve);
      }
    }
    scheduler.runUntil(millis(Plan.FAULTS_UNTIL));
    world.calm();
    scheduler.runUntil(millis(Plan.FAULTS_UNTIL + SETTLE));
    checkDone();
    checkPending();
    tryLast();
    scheduler.runUntil(millis(Plan.FAULTS_UNTIL + SETTLE + LAST_TRIES));
    checkDone();
    checkLast();
    slots.forEach(Place::checkLeaks);
  }

  private void call(Try call) {
    Client client = new Client(world, truth, call);
    clients.add(client);
    scheduler.at(millis(call.at()), () -> start(client));
  }

  private void start(Client client) {
    Machine machine = slots.get(client.call().slot()).machine;
    scheduler.start(
        scheduler.now(),
        machine,
        () -> {
          patience.put(Thread.currentThread(), world.after(client.call().patience()));
          Handler handler = new Handler(machine, truth, upstream);
          client.run(machine, policy(handler), handler);
        });
  }

  private void resolve() {
    Machine machine = slots.get(0).machine;
    Operator operator = new Operator(machine, truth, upstream);
    List<Track> all = new ArrayList<>();
    truth.tracks().forEach(all::add);
    scheduler.start(scheduler.now(), machine, () -> all.forEach(operator::resolve));
  }

  /** Everyone must have been told something by now. */
  private void checkDone() {
    for (Client client : clients) {
      world.deny(client.isHeld(), "P12", () -> "try " + client.call().number() + " hangs");
    }
  }

  /**
   * What a caller was told to be pending must be recorded by now, unless somebody else could settle
   * it or its engine is gone.
   */
  private void checkPending() {
    boolean isAlone =
        settings.recovering() == Plan.Recovering.PARK
            && !settings.hasOperator()
            && !settings.hasRecoverer()
            && !settings.isSaga()
            && settings.retention() > Plan.FAULTS_UNTIL + SETTLE
            && settings.pendingMemory() == Plan.ROOM_FOR_ALL;
    for (Client client : clients) {
      if (isAlone && client.isPending()) {
        world.coverage.reached(Coverage.Place.PENDING_RECORDED);
        boolean isRecorded =
            truth.find(client.key()).filter(e -> e.standing() == Standing.SETTLED).isPresent();
        world.deny(
            !isRecorded, "P16", () -> "try " + client.call().number() + " is pending for ever");
      }
    }
  }

  private void tryLast() {
    List<Track> all = new ArrayList<>();
    truth.tracks().forEach(all::add);
    int number = 100;
    for (Track track : all) {
      int body = truth.find(track.key).map(Run::body).orElse(0);
      String account = track.key.scope().account();
      int at = Plan.FAULTS_UNTIL + SETTLE + number;
      call(
          new Try(
              number,
              at,
              number % slots.size(),
              account,
              track.key.value(),
              body,
              Act.CHARGE,
              5,
              5,
              Integer.MAX_VALUE));
      number++;
    }
  }

  private static int body(Entry entry) {
    return entry.fingerprint().equals(Client.fingerprint(1)) ? 1 : 0;
  }

  private void checkLast() {
    for (Client client : clients) {
      if (client.call().number() >= 100) {
        Track track = truth.track(client.key());
        boolean isStuck = client.told() instanceof InProgressException;
        world.deny(isStuck, "P12", () -> track + " is stuck");
        boolean isParked = client.told() instanceof OutcomeUnknownException;
        world.deny(isParked && !mayBeParked(track), "P12", () -> track + " is parked for nothing");
      }
    }
  }

  private boolean mayBeParked(Track track) {
    boolean isCut =
        world.plan.faults().stream()
            .anyMatch(f -> f.trouble() == Trouble.CRASH || f.trouble() == Trouble.CLOSE);
    return switch (settings.recovering()) {
      case PARK -> track.hasRun || isCut;
      case RERUN ->
          truth
              .find(track.key)
              .filter(
                  entry ->
                      entry.attempt() >= settings.attempts()
                          || entry.age().toMillis() > settings.rerunWithin())
              .isPresent();
      case RECONCILE -> false;
    };
  }

  private Policy policy(Handler handler) {
    Recovery recovery =
        switch (settings.recovering()) {
          case PARK -> Recovery.park();
          case RERUN ->
              Recovery.rerun(settings.attempts(), Duration.ofMillis(settings.rerunWithin()));
          case RECONCILE -> Recovery.reconcile(handler::find);
        };
    return Policy.create()
        .lease(Duration.ofMillis(Plan.LEASE))
        .maxRunning(Duration.ofMillis(settings.maxRunning()))
        .retention(Duration.ofMillis(settings.retention()))
        .waitUpTo(Duration.ofMillis(settings.waitUpTo()))
        .largestAnswer(LARGEST_ANSWER)
        .failures(settings.failures())
        .recovery(recovery);
  }

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** A slot and the process that runs there now. */
  private final class Place implements Machine.Slot {
    private final int number;
    private int calls;
    private int lives;
    private Machine machine;

    Place(int number) {
      this.number = number;
      this.machine = boot();
    }

    private Machine boot() {
      Machine booted = new Machine(world, this, world.plan.seed() * 31 + number * 7L + lives);
      Handler handler = new Handler(booted, truth, upstream);
      boolean isQueued = world.plan.calling() == Plan.Calling.QUEUE;
      Wire wire = isQueued ? new QueuedWire(truth, booted) : new Wire(truth, booted);
      Store store = defect.inEngine(wire, booted);
      booted.replaceLoop(loop -> defect.inLoop(loop, booted));
      Policy policy = policy(handler);
      Retrysafe.Builder builder =
          Retrysafe.builder(store)
              .policy(policy)
              .storeDeadline(Duration.ofMillis(Plan.STORE_DEADLINE))
              .sweepEvery(Duration.ofSeconds(20))
              .waiters(settings.waiters())
              .pendingMemory(settings.pendingMemory())
              .listener(world.coverage::on)
              .listener(booted.outages());
      if (settings.hasRecoverer()) {
        builder.recoverEvery(Duration.ofSeconds(5), policy, scope -> true);
      }
      booted.open(OpenSeam.build(builder, booted));
      return booted;
    }

    void checkLeaks() {
      world.deny(
          machine.outages().isSilent() && !machine.isStopped(),
          "P17",
          () -> machine.name() + " still reports an outage");
      int periodic = settings.hasRecoverer() ? 2 : 1;
      boolean isLeaking = machine.timers() > periodic || machine.beats() > 0;
      world.deny(
          isLeaking && !machine.isStopped(),
          "P14",
          () ->
              machine.name()
                  + " is left with "
                  + machine.timers()
                  + " timers, "
                  + machine.beats()
                  + " beats");
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public String nextName() {
      lives++;
      return "process " + number + "." + lives;
    }

    @Override
    public int nextCall() {
      return calls++;
    }

    @Override
    public void replace() {
      machine = boot();
    }

    @Override
    public long patienceOfRunningTry() {
      return patience.getOrDefault(Thread.currentThread(), Long.MAX_VALUE);
    }
  }
}
