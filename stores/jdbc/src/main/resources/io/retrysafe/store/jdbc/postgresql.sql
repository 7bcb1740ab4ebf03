-- at is stable, so that an index can be searched with it; only for reading. Planning the large statements
-- would cost more than running them: the plan is kept.

-- name: now
clock_timestamp()

-- name: at
statement_timestamp()

-- name: after
clock_timestamp() + %s * interval '1 microsecond'

-- name: before
statement_timestamp() - %s * interval '1 microsecond'

-- name: moment
timestamptz 'epoch' + %s * interval '1 microsecond'

-- name: us
(extract(epoch FROM %s) * 1000000)::bigint

-- name: text
strpos(%2$s, %1$s)

-- name: join
%s || %s

-- name: key
key

-- As the partial index says it.

-- name: open
e.phase + 0 < 3

-- name: for_update
FOR UPDATE

-- name: skip_locked
FOR UPDATE OF e SKIP LOCKED

-- Plans are made once and kept, because planning the large statements would cost more than running them. A plan
-- that is made while the table is empty must still be right when it holds millions of rows: every row is
-- looked up by its id, through a lateral subquery, and written where it was found. Scans of the table and
-- joins that would need them are forbidden.

-- name: settings
SET lock_timeout = '%2$dms';
SET statement_timeout = '%1$dms';
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET jit = off

-- name: scanned
e.id || ''

-- Lists with settled entries may read the whole table, and are planned for what they look for.

-- name: searching
SET lock_timeout = '%2$dms';
SET statement_timeout = '%1$dms';
SET plan_cache_mode = force_custom_plan;
SET jit = off

-- name: resets
RESET lock_timeout;
RESET statement_timeout;
RESET plan_cache_mode;
RESET enable_seqscan;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET jit

-- What may be lost in a crash of the server: it waits for no disk.

-- name: lazily
SET LOCAL synchronous_commit = off

-- A lone claim. The insert gives way to a row that is there without writing anything; the select comes after
-- it, so it sees the row that won. A row that may be taken over is left to claim.

-- name: claim_alone
INSERT INTO retrysafe_entry AS e (id, tenant, endpoint, endpoint_parts, key, fingerprint, token,
  phase, previous, attempt, fence, created_at, lease_until, expires_at)
SELECT :id, :tenant, :endpoint, :parts, :key, :fingerprint, :token, 0, 0, 1, {us n.t}, n.t,
  n.t + :lease * interval '1 microsecond',
  n.t + :lease_and_unsettled * interval '1 microsecond'
FROM (SELECT clock_timestamp() AS t OFFSET 0) n
ON CONFLICT (id) DO NOTHING RETURNING e.fence, 1, 0, ''

-- name: claimed_by_another
SELECT {facts}, {us clock_timestamp()}, e.outcome FROM retrysafe_entry e
WHERE e.id = :id AND (e.token <> :token OR e.phase > 0)

-- Many calls in one statement, as arrays sorted by id. Of the claims of one key the first one leads:
-- only it may be granted, the others see what is there.
--
-- q holds what the statement's snapshot has of each key. ins waits for an uncommitted insert of the same key,
-- lock_timeout at most; can never waits and decides on the newest version of a row, which it locks. A row that
-- changed after the snapshot is not where upd looks for it: that claim is undecided and asked again.

-- name: claim
WITH n AS MATERIALIZED (SELECT t, {us t} AS us FROM (SELECT clock_timestamp() AS t OFFSET 0) c),
q AS MATERIALIZED (
  SELECT * FROM unnest(
    CAST(:id AS bytea[]), CAST(:tenant AS text[]), CAST(:endpoint AS text[]),
    CAST(:parts AS text[]), CAST(:key AS text[]), CAST(:fingerprint AS bytea[]),
    CAST(:token AS bytea[]), CAST(:lease AS bigint[]), CAST(:attempts AS integer[]),
    CAST(:within AS bigint[]), CAST(:leads AS boolean[])) WITH ORDINALITY
    AS q (id, tenant, endpoint, parts, key, fingerprint, token, lease, attempts, within, leads, no)
  LEFT JOIN LATERAL (
    SELECT {facts}, e.outcome FROM retrysafe_entry e WHERE e.id = q.id OFFSET 0)
    AS s (s_token, s_fingerprint, s_attempt, s_fence, s_phase, s_created, s_leased, s_expires,
      s_outcome) ON true),
ins AS (
  INSERT INTO retrysafe_entry AS e (id, tenant, endpoint, endpoint_parts, key, fingerprint, token,
    phase, previous, attempt, fence, created_at, lease_until, expires_at)
  SELECT q.id, q.tenant, q.endpoint, q.parts, q.key, q.fingerprint, q.token, 0, 0, 1, n.us, n.t,
    n.t + q.lease * interval '1 microsecond',
    n.t + (q.lease + :unsettled) * interval '1 microsecond'
  FROM q, n WHERE q.leads AND q.s_token IS NULL ORDER BY q.no
  ON CONFLICT (id) DO NOTHING RETURNING e.token, e.fence),
can AS MATERIALIZED (
  SELECT e.place, q.fingerprint, q.token, q.lease FROM n, q CROSS JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e
    WHERE e.id = q.id AND (
      (e.phase = 5 AND e.token <> q.token) OR (e.phase < 5 AND e.expires_at <= n.t)
      OR (e.fingerprint = q.fingerprint AND (
        (e.phase = 0 AND e.token = q.token)
        OR (e.phase = 1 AND e.token <> q.token)
        OR (((e.phase = 2 AND e.token <> q.token) OR (e.phase = 0 AND e.lease_until <= n.t))
          AND e.attempt < q.attempts
          AND n.t - e.created_at <= q.within * interval '1 microsecond'))))
    FOR UPDATE SKIP LOCKED) e
  WHERE q.leads AND (q.s_phase NOT IN (3, 4) OR q.s_expires <= n.us)),
upd AS (
  UPDATE retrysafe_entry e SET fingerprint = c.fingerprint, token = c.token, phase = 0,
    previous = CASE WHEN e.phase >= 3 OR e.expires_at <= n.t THEN 0
      WHEN e.phase = 0 AND e.token = c.token THEN e.previous WHEN e.phase = 1 THEN 1 ELSE 2 END,
    attempt = CASE WHEN e.phase >= 3 OR e.expires_at <= n.t THEN 1
      WHEN e.phase = 0 AND e.token = c.token THEN e.attempt ELSE e.attempt + 1 END,
    fence = CASE WHEN e.phase = 0 AND e.token = c.token AND e.expires_at > n.t THEN e.fence
      ELSE greatest(e.fence + 1, n.us) END,
    created_at = CASE WHEN e.phase >= 3 OR e.expires_at <= n.t THEN n.t ELSE e.created_at END,
    steps = CASE WHEN e.phase >= 3 OR e.expires_at <= n.t THEN '' ELSE e.steps END,
    outcome = NULL, status_code = NULL, completed_at = NULL,
    lease_until = n.t + c.lease * interval '1 microsecond',
    expires_at = n.t + (c.lease + :unsettled) * interval '1 microsecond'
  FROM can c, n WHERE e.ctid = c.place
  RETURNING e.token, e.fence, e.attempt, e.previous, e.steps)
SELECT q.no, NULL, NULL, NULL, NULL, q.s_token, q.s_fingerprint, q.s_attempt, q.s_fence, q.s_phase,
  q.s_created, q.s_leased, q.s_expires, n.us, q.s_outcome
FROM q, n WHERE q.s_token IS NOT NULL
UNION ALL
SELECT NULL, i.fence, 1, 0, '', i.token, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM ins i
UNION ALL
SELECT NULL, u.fence, u.attempt, u.previous, u.steps, u.token, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL
FROM upd u

-- Claims that are likely to be of new keys: what is there is neither read nor taken over, and such a claim is
-- asked again. Rows are inserted in the order of the arrays, so that batches of several processes cannot
-- deadlock.

-- name: claim_new
INSERT INTO retrysafe_entry AS e (id, tenant, endpoint, endpoint_parts, key, fingerprint, token,
  phase, previous, attempt, fence, created_at, lease_until, expires_at)
SELECT q.id, q.tenant, q.endpoint, q.parts, q.key, q.fingerprint, q.token, 0, 0, 1, n.us, n.t,
  n.t + q.lease * interval '1 microsecond',
  n.t + (q.lease + :unsettled) * interval '1 microsecond'
FROM (SELECT t, {us t} AS us FROM (SELECT clock_timestamp() AS t OFFSET 0) c OFFSET 0) n,
  (SELECT unnest(CAST(:id AS bytea[])) AS id, unnest(CAST(:tenant AS text[])) AS tenant,
    unnest(CAST(:endpoint AS text[])) AS endpoint, unnest(CAST(:parts AS text[])) AS parts,
    unnest(CAST(:key AS text[])) AS key, unnest(CAST(:fingerprint AS bytea[])) AS fingerprint,
    unnest(CAST(:token AS bytea[])) AS token, unnest(CAST(:lease AS bigint[])) AS lease OFFSET 0) q
ON CONFLICT (id) DO NOTHING RETURNING NULL, e.fence, 1, 0, '', e.token

-- name: completed
phase = q.phase, status_code = q.status, outcome = q.outcome,
    completed_at = clock_timestamp(), lease_until = least(e.lease_until, clock_timestamp()),
    expires_at = clock_timestamp() + q.retention * interval '1 microsecond'

-- name: completable
e.token = q.token AND e.phase < 3 AND e.expires_at > clock_timestamp()

-- Completions by owners that still have their rows, as nearly all do. It only tells how many there were: where that
-- is not all of them, complete_all tells of each.

-- name: complete_owned
UPDATE retrysafe_entry e SET {completed}
FROM (SELECT unnest(CAST(:id AS bytea[])) AS id, unnest(CAST(:token AS bytea[])) AS token,
    unnest(CAST(:phase AS integer[])) AS phase, unnest(CAST(:status AS integer[])) AS status,
    unnest(CAST(:outcome AS bytea[])) AS outcome,
    unnest(CAST(:retention AS bigint[])) AS retention OFFSET 0) q
CROSS JOIN LATERAL (SELECT r.ctid AS place FROM retrysafe_entry r WHERE r.id = q.id OFFSET 0) r
WHERE e.ctid = r.place AND {completable}

-- An owner's own row is in nobody else's use for long: the update may wait, lock_timeout at most. One that
-- changed after the snapshot is not updated and not returned.

-- name: complete_all
WITH q AS MATERIALIZED (
  SELECT q.*, e.phase AS s_phase, e.place FROM unnest(
    CAST(:id AS bytea[]), CAST(:token AS bytea[]), CAST(:phase AS integer[]),
    CAST(:status AS integer[]), CAST(:outcome AS bytea[]), CAST(:retention AS bigint[]))
    AS q (id, token, phase, status, outcome, retention)
  LEFT JOIN LATERAL (
    SELECT e.phase, e.ctid AS place FROM retrysafe_entry e
    WHERE e.id = q.id AND e.token = q.token AND e.phase < 5 AND e.expires_at > clock_timestamp()
    OFFSET 0) e ON true),
upd AS (
  UPDATE retrysafe_entry e SET {completed} FROM q WHERE e.ctid = q.place AND {completable}
  RETURNING e.token)
SELECT u.token, true FROM upd u
UNION ALL
SELECT q.token, q.s_phase IS NOT NULL FROM q WHERE q.s_phase IS NULL OR q.s_phase >= 3

-- A transaction that settles the entry together with its effect may hold the row for long: it is passed over.

-- name: renew_all
WITH q AS MATERIALIZED (
  SELECT q.token, e.place FROM
    unnest(CAST(:id AS bytea[]), CAST(:token AS bytea[])) AS q (id, token) LEFT JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e
    WHERE e.id = q.id AND e.token = q.token AND e.phase = 0 AND e.expires_at > clock_timestamp()
    OFFSET 0) e ON true),
can AS MATERIALIZED (
  SELECT e.place FROM q CROSS JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e
    WHERE e.ctid = q.place AND e.token = q.token AND e.phase = 0
      AND e.expires_at > clock_timestamp()
    FOR UPDATE SKIP LOCKED) e),
upd AS (
  UPDATE retrysafe_entry e SET lease_until = clock_timestamp() + :lease * interval '1 microsecond',
    expires_at = clock_timestamp() + :lease_and_unsettled * interval '1 microsecond'
  FROM can c WHERE e.ctid = c.place RETURNING e.token)
SELECT u.token, true FROM upd u UNION ALL SELECT q.token, false FROM q WHERE q.place IS NULL

-- name: add_events
INSERT INTO retrysafe_event (entry_id, kind, seen_by, first_at, last_at, times, detail)
SELECT e.id, q.kind, q.seen_by, {moment q.first_at}, {moment q.last_at}, q.times, q.detail
FROM unnest(
  CAST(:id AS bytea[]), CAST(:kind AS text[]), CAST(:by AS text[]), CAST(:first AS bigint[]),
  CAST(:last AS bigint[]), CAST(:times AS integer[]), CAST(:detail AS text[])) WITH ORDINALITY
  AS q (id, kind, seen_by, first_at, last_at, times, detail, no)
CROSS JOIN LATERAL (SELECT e.id FROM retrysafe_entry e WHERE e.id = q.id OFFSET 0) e
ORDER BY q.no
