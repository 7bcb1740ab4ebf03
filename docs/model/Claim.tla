-------------------------------- MODULE Claim --------------------------------
(* The claim protocol on one key of one store: what Store, Resolvable and the  *)
(* engine's asking, giving up and ending do to an entry, with time, crashes,   *)
(* lost answers and a claim that lands late.                                   *)
(*                                                                             *)
(* A caller makes one claim, under a token of its own; a retry is another      *)
(* caller. Time is counted down in ticks: a lease and a call's time-out last   *)
(* one. So nothing bounds how long the system runs. Left out: fingerprints,    *)
(* steps, the age bound of a rerun, and the answer's bytes.                    *)
(*                                                                             *)
(* An era is what the promise covers: from the first claim of a key until the  *)
(* retention of its entry is over. A freed key stays in its era.               *)
(*                                                                             *)
(* Variant "right" is the protocol. Every other variant changes one rule, and  *)
(* must break the invariant that README.md names.                              *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Callers,      \* a set of numbers from 1 on
  Attempts,     \* a lapsed entry is taken over only below so many attempts; 0 is park
  Retention,    \* ticks that a settled entry lives
  Unsettled,    \* ticks that an unsettled entry lives past its lease, at least Retention
  Silence,      \* whether claims may go unanswered
  Operators,    \* whether there is an operator
  Variant

VARIABLES
  row,          \* what the store holds
  pc,           \* what each caller is doing
  did,          \* those whose effect happened and who may still report it
  wire,         \* each caller's unanswered claim: calm (none), flying, landed, past (timed out)
  counter,      \* each caller's token, only where a counter is the token
  operator,     \* what the operator saw and is going to say
  \* What nobody in the system knows, for the invariants:
  holds,        \* those whose lease stands, as the store granted it
  outlived,     \* those who may still act on an entry that ended: a new era began
  effects,      \* how many effects this era has had
  first,        \* the outcome recorded first in this era; 0 is none
  shownWrong,   \* whether somebody was shown another one
  lastFence,
  fenceGrew

history == <<holds, outlived, effects, first, shownWrong, lastFence, fenceGrew>>
vars == <<row, pc, did, wire, counter, operator, history>>

Operator == 99
Silent == [at |-> "idle", tok |-> 0, fence |-> 0, word |-> ""]

(* leased: its lease stands. left: ticks until it ends. *)
Gone(phase, tok, fence, left) ==
  [phase |-> phase, tok |-> tok, att |-> 0, fence |-> fence, prev |-> "absent",
   leased |-> FALSE, left |-> left, out |-> 0]

Init ==
  /\ row = Gone("none", 0, 0, 0)
  /\ pc = [c \in Callers |-> "idle"]
  /\ did = {}
  /\ wire = [c \in Callers |-> "calm"]
  /\ counter = [c \in Callers |-> 0]
  /\ operator = Silent
  /\ holds = {}
  /\ outlived = {}
  /\ effects = 0
  /\ first = 0
  /\ shownWrong = FALSE
  /\ lastFence = 0
  /\ fenceGrew = TRUE

------------------------------------------------------------------------------
(* The store *)

IsAbsent == row.phase \in {"none", "freed", "expired"}
IsUnsettled == row.phase \in {"running", "resumable", "unknown"}
IsLapsed == row.phase = "unknown" \/ (row.phase = "running" /\ ~row.leased)

Token(c) == IF Variant = "counter-token" THEN counter[c] ELSE c
IsMine(c) == row.tok = Token(c)
IsAgain(c) == row.phase = "running" /\ IsMine(c)

UnsettledFor(lease) == IF Variant = "expires-with-lease" THEN lease ELSE lease + Unsettled

(* max(previous + 1, clock). The clock has passed every fence of an earlier tick, *)
(* and a row is swept in a later tick than that of its last grant.                *)
Fence(att) ==
  IF Variant = "counter-fence" THEN att
  ELSE IF row.phase = "none" THEN lastFence + 1
  ELSE row.fence + 1

Leased(c, att, was) ==
  [phase |-> "running",
   tok |-> IF Variant = "counter-token" THEN att ELSE c,
   att |-> att,
   fence |-> Fence(att),
   prev |-> was,
   leased |-> TRUE,
   left |-> UnsettledFor(1),
   out |-> 0]

Renewed == [row EXCEPT !.leased = TRUE, !.left = UnsettledFor(1)]

MayTakeOver ==
  \/ row.phase = "resumable"
  \/ IsLapsed /\ (row.att < Attempts \/ Variant = "rerun-unbounded")

(* A token that was released is out: its claim is a late message. *)
IsOut(c) == IsMine(c) /\ row.phase \in {"freed", "resumable", "unknown"}

IsGrantable(c) == ~IsOut(c) /\ (IsAbsent \/ IsAgain(c) \/ MayTakeOver)

Claimed(c) ==
  IF IsAbsent THEN Leased(c, 1, "absent")
  ELSE IF IsAgain(c) THEN Renewed
  ELSE Leased(c, row.att + 1, IF IsLapsed THEN "unknown" ELSE "resumable")

Grant(c) ==
  LET next == Claimed(c) IN
  /\ row' = next
  /\ holds' = holds \union {c}
  /\ outlived' = outlived \ {c}
  /\ counter' = IF Variant = "counter-token" THEN [counter EXCEPT ![c] = next.att] ELSE counter
  /\ lastFence' = next.fence
  /\ fenceGrew' = (fenceGrew /\ (next.fence > lastFence \/ IsAgain(c)))
  /\ UNCHANGED <<effects, first, shownWrong>>

(* Free leads back to what the entry was before the claim. *)
Undone == IF row.prev = "absent" \/ Variant = "free-always-frees" THEN "freed" ELSE row.prev

Left(how) ==
  LET phase == IF how = "FREE" THEN Undone ELSE IF how = "UNKNOWN" THEN "unknown" ELSE "resumable"
  IN IF phase = "freed"
     THEN Gone("freed", row.tok, row.fence, 1)
     ELSE [row EXCEPT !.phase = phase, !.leased = FALSE, !.left = UnsettledFor(1)]

(* A release ends a running claim; to one that was left before it does nothing. *)
IsReleasable(c) ==
  /\ IsMine(c) \/ Variant = "unfenced-release"
  /\ row.phase = "running" \/ (Variant = "last-release-wins" /\ IsUnsettled)

Release(c, how) ==
  /\ IF IsReleasable(c)
     THEN row' = Left(how) /\ holds' = holds \ {c}
     ELSE UNCHANGED <<row, holds>>
  /\ UNCHANGED <<outlived, effects, first, shownWrong, lastFence, fenceGrew>>

Settle(tok, outcome) ==
  /\ row' = [row EXCEPT !.phase = "settled", !.tok = tok, !.out = outcome,
                        !.leased = FALSE, !.left = Retention]
  /\ first' = IF first = 0 THEN outcome ELSE first

------------------------------------------------------------------------------
(* Callers *)

CanAct(c) == pc[c] \in {"working", "UNKNOWN", "left"}

Become(c, what) == pc' = [pc EXCEPT ![c] = what]

(* Whoever met silence releases its token once more when nothing of it can land any more. *)
Over(c) ==
  IF wire[c] = "calm" \/ Variant = "only-who-gives-up-releases" THEN "done" ELSE "owes"

(* A claim without an answer: it may land, once, before the call times out. *)
Send(c) ==
  /\ Silence
  /\ pc[c] = "idle"
  /\ wire[c] = "calm"
  /\ wire' = [wire EXCEPT ![c] = "flying"]
  /\ UNCHANGED <<row, pc, did, counter, operator, history>>

Land(c) ==
  /\ wire[c] = "flying"
  /\ IsGrantable(c)
  /\ Grant(c)
  /\ wire' = [wire EXCEPT ![c] = "landed"]
  /\ UNCHANGED <<pc, did, operator>>

Ask(c) ==
  /\ pc[c] = "idle"
  /\ IF IsGrantable(c)
     THEN Grant(c) /\ Become(c, "working")
     ELSE /\ Become(c, Over(c))
          /\ shownWrong' = (shownWrong \/ (row.phase = "settled" /\ row.out # first))
          /\ UNCHANGED <<row, counter, holds, outlived, effects, first, lastFence, fenceGrew>>
  /\ UNCHANGED <<did, wire, operator>>

GiveUp(c) ==
  /\ pc[c] = "idle"
  /\ wire[c] # "calm"
  /\ Release(c, "FREE")
  /\ Become(c, IF Variant = "gives-up-once" THEN "done" ELSE "owes")
  /\ UNCHANGED <<did, wire, counter, operator>>

ReleaseAgain(c) ==
  /\ pc[c] = "owes"
  /\ wire[c] = "past"
  /\ Release(c, "FREE")
  /\ Become(c, "done")
  /\ UNCHANGED <<did, wire, counter, operator>>

Effect(c) ==
  /\ CanAct(c)
  /\ c \notin did
  /\ did' = did \union {c}
  /\ effects' = IF c \in outlived THEN effects ELSE effects + 1
  /\ UNCHANGED <<row, pc, wire, counter, operator, holds, outlived, first, shownWrong, lastFence, fenceGrew>>

Renew(c) ==
  /\ pc[c] = "working"
  /\ IsAgain(c)
  /\ row' = Renewed
  /\ holds' = holds \union {c}
  /\ UNCHANGED <<pc, did, wire, counter, operator, outlived, effects, first, shownWrong, lastFence, fenceGrew>>

(* What an owner is told whose entry is not its own to settle: what is recorded, if anything is. *)
Recorded(c) == IF row.phase # "settled" THEN first ELSE IF IsMine(c) THEN c ELSE row.out

IsMineToSettle(c) ==
  \/ IsMine(c) /\ IsUnsettled
  \/ Variant = "unfenced-completion" /\ row.phase # "none"

(* The answer of a complete may get lost; then it is asked again. *)
Complete(c) ==
  /\ pc[c] \in {"working", "left"}
  /\ c \in did
  /\ IF IsMineToSettle(c)
     THEN /\ Settle(Token(c), c)
          /\ holds' = holds \ {c}
          /\ \/ UNCHANGED <<pc, did, shownWrong>>
             \/ /\ Become(c, "done")
                /\ did' = did \ {c}
                /\ shownWrong' = (shownWrong \/ first' # c)
     ELSE /\ Become(c, Over(c))
          /\ did' = did \ {c}
          /\ shownWrong' = (shownWrong \/ Recorded(c) # first)
          /\ UNCHANGED <<row, first, holds>>
  /\ UNCHANGED <<wire, counter, operator, outlived, effects, lastFence, fenceGrew>>

(* The owner makes up its mind: refused before any effect, to be continued, or nobody knows. *)
Leave(c, how) ==
  /\ pc[c] = "working"
  /\ how = "UNKNOWN" \/ c \notin did
  /\ Become(c, how)
  /\ UNCHANGED <<row, did, wire, counter, operator, history>>

(* The answer of a release may get lost; then it is asked again. *)
TellStore(c) ==
  /\ pc[c] \in {"FREE", "RESUMABLE", "UNKNOWN"}
  /\ Release(c, pc[c])
  /\ \/ UNCHANGED pc
     \/ Become(c, IF pc[c] = "UNKNOWN" THEN "left" ELSE Over(c))
  /\ UNCHANGED <<did, wire, counter, operator>>

(* After UNKNOWN a late answer is welcome, until nobody waits for it any more. *)
Forgo(c) ==
  /\ pc[c] = "left"
  /\ Become(c, Over(c))
  /\ did' = did \ {c}
  /\ UNCHANGED <<row, wire, counter, operator, history>>

Crash(c) ==
  /\ pc[c] \in {"working", "FREE", "RESUMABLE", "UNKNOWN", "owes"}
  /\ Become(c, "gone")
  /\ did' = did \ {c}
  /\ UNCHANGED <<row, wire, counter, operator, history>>

------------------------------------------------------------------------------
(* The operator looks, and speaks later, once *)

IsBusy == \E c \in Callers : CanAct(c) /\ c \notin did /\ c \notin outlived

(* A caller whose claim landed, who does not know it yet and is going to ask again. *)
IsAsking == \E c \in Callers : pc[c] = "idle" /\ IsMine(c)

(* "Not done" means that it did not happen and that nobody is left who could still do it. *)
IsSure == ~IsBusy /\ ~IsAsking

Look ==
  /\ Operators
  /\ operator.at = "idle"
  /\ IsUnsettled
  /\ ~row.leased
  /\ effects > 0 \/ IsSure \/ Variant = "operator-too-early"
  /\ operator' = [at |-> "saw", tok |-> row.tok, fence |-> row.fence,
                  word |-> IF effects > 0 THEN "done" ELSE "not done"]
  /\ UNCHANGED <<row, pc, did, wire, counter, history>>

IsAsSeen ==
  /\ IsUnsettled
  /\ ~row.leased
  /\ Variant = "operator-unfenced" \/ (row.tok = operator.tok /\ row.fence = operator.fence)

Speak ==
  /\ operator.at = "saw"
  /\ operator' = [Silent EXCEPT !.at = "spoke"]
  /\ IF IsAsSeen
     THEN IF operator.word = "done"
          THEN Settle(IF Variant = "operator-keeps-token" THEN row.tok ELSE Operator, Operator)
          ELSE row' = Gone("freed", Operator, row.fence, 1) /\ UNCHANGED first
     ELSE UNCHANGED <<row, first>>
  /\ UNCHANGED <<pc, did, wire, counter, holds, outlived, effects, shownWrong, lastFence, fenceGrew>>

------------------------------------------------------------------------------
(* Time *)

Later ==
  IF row.left > 1 THEN [row EXCEPT !.left = row.left - 1, !.leased = FALSE]
  ELSE IF IsAbsent THEN [row EXCEPT !.left = 0]
  ELSE Gone("expired", 0, row.fence, 0)

(* The promise ends with the retention, not with what a wrong store takes for it. *)
IsEndOfEra ==
  /\ ~IsAbsent
  /\ row.left <= 1
  /\ row.phase = "settled" \/ Variant # "expires-with-lease"

Tick ==
  /\ row' = Later
  /\ wire' = [c \in Callers |->
       IF wire[c] = "calm" \/ pc[c] \in {"done", "gone"} THEN "calm" ELSE "past"]
  /\ holds' = {}
  /\ IF IsEndOfEra
     THEN /\ outlived' = {c \in Callers : CanAct(c)}
          /\ effects' = 0
          /\ first' = 0
     ELSE UNCHANGED <<outlived, effects, first>>
  /\ UNCHANGED <<pc, did, counter, operator, shownWrong, lastFence, fenceGrew>>

Sweep ==
  /\ row.phase \in {"freed", "expired"}
  /\ row.left = 0
  /\ row' = Gone("none", 0, 0, 0)
  /\ UNCHANGED <<pc, did, wire, counter, operator, history>>

Next ==
  \/ Tick
  \/ Sweep
  \/ Look
  \/ Speak
  \/ \E c \in Callers :
       \/ Send(c)
       \/ Land(c)
       \/ Ask(c)
       \/ GiveUp(c)
       \/ ReleaseAgain(c)
       \/ Effect(c)
       \/ Renew(c)
       \/ Complete(c)
       \/ Leave(c, "FREE")
       \/ Leave(c, "RESUMABLE")
       \/ Leave(c, "UNKNOWN")
       \/ TellStore(c)
       \/ Forgo(c)
       \/ Crash(c)

Spec == Init /\ [][Next]_vars

------------------------------------------------------------------------------
(* What must hold *)

(* Under park an operation has at most one effect. *)
OneEffect == (Attempts = 0) => (effects <= 1)

(* No two owners whose leases both stand. *)
OneOwner == Cardinality(holds) <= 1

(* An outcome that was shown is the one that was recorded. *)
ShownIsRecorded == ~shownWrong

(* A settled entry does not change within its retention. *)
SettledStays == (first # 0) => (row.phase = "settled" /\ row.out = first)

(* Every grant has a greater fence than all before it, also after the entry ended. *)
FenceGrows == fenceGrew

(* A key that can be claimed as new hides no attempt that had, or may still have, an effect. *)
FreeHidesNothing == (row.phase \in {"none", "freed"}) => (effects = 0 /\ ~IsBusy)

(* What lapsed is run again only within its bound. *)
RerunIsBounded == (row.phase = "running" /\ row.prev = "unknown") => (row.att <= Attempts)

(* No key is held by a claim that nobody is going to use: it would become unknown for no reason. *)
NobodyHoldsForNothing ==
  \A c \in Callers : (pc[c] = "done") => ~(row.phase = "running" /\ IsMine(c))
==============================================================================
