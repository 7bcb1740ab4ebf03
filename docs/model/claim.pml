/*
 * The protocol of Claim.tla once more, for Spin, which checks more callers in less time. Read that one first: actions,
 * variables, variants and invariants have the same names and are not explained again.
 *
 * One process chooses what happens next, so that every action is one atomic step. Caller c has the token and the outcome
 * c + 1. Set from outside what is in #ifndef below; ONLY names the one invariant to check.
 */
#ifndef CALLERS
#define CALLERS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 0
#endif
#ifndef RETENTION
#define RETENTION 1
#endif
#ifndef UNSETTLED
#define UNSETTLED 1
#endif
#ifndef SILENCE
#define SILENCE 1
#endif
#ifndef OPERATORS
#define OPERATORS 1
#endif
#ifndef VARIANT
#define VARIANT right
#endif
#define OPERATOR 99

#define right 0
#define counter_token 1
#define counter_fence 2
#define expires_with_lease 3
#define free_always_frees 4
#define unfenced_release 5
#define last_release_wins 6
#define unfenced_completion 7
#define only_who_gives_up_releases 8
#define gives_up_once 9
#define rerun_unbounded 10
#define operator_too_early 11
#define operator_unfenced 12
#define operator_keeps_token 13

#ifndef ONLY
#define ONLY all
#endif
#define all 0
#define OneEffect 1
#define OneOwner 2
#define ShownIsRecorded 3
#define SettledStays 4
#define FenceGrows 5
#define FreeHidesNothing 6
#define RerunIsBounded 7
#define NobodyHoldsForNothing 8
#define MUST(name, condition) assert((ONLY != all && ONLY != name) || (condition))

/* Phases of the row, in an order that makes the questions short: absent, settled, unsettled. */
#define NONE 0
#define FREED 1
#define EXPIRED 2
#define SETTLED 3
#define RUNNING 4
#define RESUMABLE 5
#define UNKNOWN 6

/* What a caller is doing. */
#define IDLE 0
#define WORKING 1
#define LEAVES_FREE 2
#define LEAVES_RESUMABLE 3
#define LEAVES_UNKNOWN 4
#define LEFT 5
#define OWES 6
#define DONE 7
#define GONE 8

/* Where its unanswered claim is. */
#define CALM 0
#define FLYING 1
#define LANDED 2
#define PAST 3

/* What the operator is doing. */
#define SAW_DONE 1
#define SAW_NOT_DONE 2
#define SPOKE 3

/* The row. prev is NONE, RESUMABLE or UNKNOWN. */
byte phase, tok, att, fence, prev, left, out;
bool leased;

byte pc[CALLERS], wire[CALLERS], counter[CALLERS];
bool did[CALLERS];
byte operator, sawTok, sawFence;

/* What nobody in the system knows. */
bool holds[CALLERS], outlived[CALLERS];
byte effects, first, lastFence;
bool shownWrong, fenceShrank;

/* Used inside a step only. */
byte c, i, standing;
bool busy, asking;

#define IS_ABSENT (phase <= EXPIRED)
#define IS_UNSETTLED (phase >= RUNNING)
#define IS_LAPSED (phase == UNKNOWN || (phase == RUNNING && !leased))
#define TOKEN(x) (VARIANT == counter_token -> counter[x] : x + 1)
#define IS_MINE(x) (tok == TOKEN(x))
#define IS_AGAIN(x) (phase == RUNNING && IS_MINE(x))
#define MAY_TAKE_OVER (phase == RESUMABLE || (IS_LAPSED && (att < ATTEMPTS || VARIANT == rerun_unbounded)))
#define IS_OUT(x) (IS_MINE(x) && (phase == FREED || phase == RESUMABLE || phase == UNKNOWN))
#define IS_GRANTABLE(x) (!IS_OUT(x) && (IS_ABSENT || IS_AGAIN(x) || MAY_TAKE_OVER))
#define IS_RELEASABLE(x) ((IS_MINE(x) || VARIANT == unfenced_release) && (phase == RUNNING || (VARIANT == last_release_wins && IS_UNSETTLED)))
#define IS_MINE_TO_SETTLE(x) ((IS_MINE(x) && IS_UNSETTLED) || (VARIANT == unfenced_completion && phase != NONE))
#define OVER(x) (wire[x] == CALM || VARIANT == only_who_gives_up_releases -> DONE : OWES)
#define CAN_ACT(x) (pc[x] == WORKING || pc[x] == LEAVES_UNKNOWN || pc[x] == LEFT)
#define UNSETTLED_FOR (VARIANT == expires_with_lease -> 1 : 1 + UNSETTLED)

inline gone(to, by, ticks) {
  phase = to; tok = by; att = 0; prev = NONE; leased = false; left = ticks; out = 0
}

inline grant() {
  d_step {
    if
    :: IS_AGAIN(c)
    :: else ->
      if
      :: IS_ABSENT -> att = 1; prev = NONE
      :: else -> att++; prev = (IS_LAPSED -> UNKNOWN : RESUMABLE)
      fi;
      fence = (VARIANT == counter_fence -> att : (phase == NONE -> lastFence + 1 : fence + 1));
      fenceShrank = fenceShrank || fence <= lastFence;
      lastFence = fence;
      tok = (VARIANT == counter_token -> att : c + 1);
      phase = RUNNING; out = 0
    fi;
    leased = true; left = UNSETTLED_FOR;
    holds[c] = true; outlived[c] = false;
    counter[c] = (VARIANT == counter_token -> att : 0)
  }
}

inline release(how) {
  d_step {
    if
    :: IS_RELEASABLE(c) ->
      if
      :: how == LEAVES_RESUMABLE -> phase = RESUMABLE
      :: how == LEAVES_UNKNOWN -> phase = UNKNOWN
      :: how == LEAVES_FREE -> phase = (prev == NONE || VARIANT == free_always_frees -> FREED : prev)
      fi;
      if
      :: phase == FREED -> gone(FREED, tok, 1)
      :: else -> leased = false; left = UNSETTLED_FOR
      fi;
      holds[c] = false
    :: else
    fi
  }
}

inline settle(outcome) {
  phase = SETTLED; out = outcome; leased = false; left = RETENTION;
  first = (first == 0 -> outcome : first)
}

inline askAround() {
  busy = false; asking = false;
  for (i : 0 .. CALLERS - 1) {
    busy = busy || (CAN_ACT(i) && !did[i] && !outlived[i]);
    asking = asking || (pc[i] == IDLE && IS_MINE(i))
  }
}

inline check() {
  d_step {
    askAround();
    standing = 0;
    for (i : 0 .. CALLERS - 1) {
      standing = standing + holds[i];
      MUST(NobodyHoldsForNothing, !(pc[i] == DONE && phase == RUNNING && IS_MINE(i)))
    }
    MUST(OneEffect, ATTEMPTS > 0 || effects <= 1);
    MUST(OneOwner, standing <= 1);
    MUST(ShownIsRecorded, !shownWrong);
    MUST(SettledStays, first == 0 || (phase == SETTLED && out == first));
    MUST(FenceGrows, !fenceShrank);
    MUST(FreeHidesNothing, !(phase == NONE || phase == FREED) || (effects == 0 && !busy));
    MUST(RerunIsBounded, !(phase == RUNNING && prev == UNKNOWN) || att <= ATTEMPTS);
    busy = false; asking = false; standing = 0; c = 0; i = 0
  }
}

inline call() {
  if
  :: pc[c] == IDLE && wire[c] == CALM && SILENCE -> /* Send */
    wire[c] = FLYING
  :: wire[c] == FLYING && IS_GRANTABLE(c) -> /* Land */
    grant(); wire[c] = LANDED
  :: pc[c] == IDLE -> /* Ask */
    if
    :: IS_GRANTABLE(c) -> grant(); pc[c] = WORKING
    :: else -> shownWrong = shownWrong || (phase == SETTLED && out != first); pc[c] = OVER(c)
    fi
  :: pc[c] == IDLE && wire[c] != CALM -> /* GiveUp */
    release(LEAVES_FREE); pc[c] = (VARIANT == gives_up_once -> DONE : OWES)
  :: pc[c] == OWES && wire[c] == PAST -> /* ReleaseAgain */
    release(LEAVES_FREE); pc[c] = DONE
  :: CAN_ACT(c) && !did[c] -> /* Effect */
    did[c] = true; effects = (outlived[c] -> effects : effects + 1)
  :: pc[c] == WORKING && IS_AGAIN(c) -> /* Renew */
    leased = true; left = UNSETTLED_FOR; holds[c] = true
  :: (pc[c] == WORKING || pc[c] == LEFT) && did[c] -> /* Complete */
    if
    :: IS_MINE_TO_SETTLE(c) ->
      tok = TOKEN(c); settle(c + 1); holds[c] = false;
      if
      :: skip /* the answer is lost */
      :: shownWrong = shownWrong || first != c + 1; did[c] = false; pc[c] = DONE
      fi
    :: else ->
      if
      :: phase == SETTLED && IS_MINE(c) -> shownWrong = shownWrong || first != c + 1
      :: phase == SETTLED && !IS_MINE(c) -> shownWrong = shownWrong || first != out
      :: phase != SETTLED
      fi;
      did[c] = false; pc[c] = OVER(c)
    fi
  :: pc[c] == WORKING && !did[c] -> /* Leave */
    pc[c] = LEAVES_FREE
  :: pc[c] == WORKING && !did[c] ->
    pc[c] = LEAVES_RESUMABLE
  :: pc[c] == WORKING ->
    pc[c] = LEAVES_UNKNOWN
  :: pc[c] >= LEAVES_FREE && pc[c] <= LEAVES_UNKNOWN -> /* TellStore */
    release(pc[c]);
    if
    :: skip /* the answer is lost */
    :: pc[c] = (pc[c] == LEAVES_UNKNOWN -> LEFT : OVER(c))
    fi
  :: pc[c] == LEFT -> /* Forgo */
    did[c] = false; pc[c] = OVER(c)
  :: pc[c] == WORKING || (pc[c] >= LEAVES_FREE && pc[c] <= LEAVES_UNKNOWN) || pc[c] == OWES -> /* Crash */
    did[c] = false; pc[c] = GONE
  :: else
  fi
}

inline tick() {
  d_step {
    for (i : 0 .. CALLERS - 1) {
      wire[i] = (wire[i] == CALM || pc[i] == DONE || pc[i] == GONE -> CALM : PAST);
      holds[i] = false
    }
    if
    :: !IS_ABSENT && left <= 1 && (phase == SETTLED || VARIANT != expires_with_lease) ->
      for (i : 0 .. CALLERS - 1) { outlived[i] = CAN_ACT(i) }
      effects = 0; first = 0
    :: else
    fi;
    if
    :: left > 1 -> left--; leased = false
    :: left <= 1 && IS_ABSENT -> left = 0
    :: left <= 1 && !IS_ABSENT -> gone(EXPIRED, 0, 0)
    fi
  }
}

active proctype world() {
  do
  :: atomic {
      if
      :: c = 0
      :: c = 1
#if CALLERS > 2
      :: c = 2
#endif
#if CALLERS > 3
      :: c = 3
#endif
      fi;
      call(); check() }
  :: atomic { OPERATORS && operator == 0 && IS_UNSETTLED && !leased -> /* Look */
      askAround();
      if
      :: effects > 0 -> operator = SAW_DONE; sawTok = tok; sawFence = fence
      :: effects == 0 && ((!busy && !asking) || VARIANT == operator_too_early) ->
        operator = SAW_NOT_DONE; sawTok = tok; sawFence = fence
      :: else
      fi;
      check() }
  :: atomic { operator == SAW_DONE || operator == SAW_NOT_DONE -> /* Speak */
      if
      :: IS_UNSETTLED && !leased && (VARIANT == operator_unfenced || (tok == sawTok && fence == sawFence)) ->
        if
        :: operator == SAW_DONE -> tok = (VARIANT == operator_keeps_token -> tok : OPERATOR); settle(OPERATOR)
        :: operator == SAW_NOT_DONE -> gone(FREED, OPERATOR, 1)
        fi
      :: else
      fi;
      operator = SPOKE; sawTok = 0; sawFence = 0; check() }
  :: atomic { tick(); check() }
  :: atomic { (phase == FREED || phase == EXPIRED) && left == 0 -> /* Sweep */
      gone(NONE, 0, 0); fence = 0; check() }
  od
}
