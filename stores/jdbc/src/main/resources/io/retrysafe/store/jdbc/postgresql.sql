-- now is read when a row is decided. at is for reading: it is stable, so that an index can be searched with it,
-- and it is never later than the snapshot. A clock that is read after the snapshot would show an entry as lapsed
-- although its owner released it in time.

-- name: now
clock_timestamp()

-- name: at
transaction_timestamp()

-- name: after
clock_timestamp() + %s * interval '1 microsecond'

-- name: before
transaction_timestamp() - %s * interval '1 microsecond'

-- name: moment
timestamptz 'epoch' + %s * interval '1 microsecond'

-- name: latest
greatest(%s)

-- name: us
(extract(epoch FROM %s) * 1000000)::bigint

-- name: text
strpos(%2$s, %1$s)

-- name: join
%s || %s

-- name: bytes_of
octet_length(%s)

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

-- Each row's clock is read when the row is about to be inserted, not once for the statement: an earlier row of the
-- batch may have waited for a lock. The row itself may still wait for another transaction's insert or delete of its
-- key, after its clock was read. A lease that ended during that wait is not granted: stands is false then, and the
-- claim, sent again, renews it. Its fence is greater than all earlier ones because a sweep leaves expired rows
-- for longer than any statement may run.

-- name: stands
e.lease_until > clock_timestamp()

-- A lone claim. The insert gives way to a row that is there without writing anything; the select comes after
-- it, so it sees the row that won. A row that may be taken over is left to claim.

-- name: claim_alone
INSERT INTO retrysafe_entry AS e (id, tenant, endpoint, endpoint_parts, key, fingerprint, token,
  phase, previous, attempt, fence, created_at, lease_until, expires_at)
SELECT :id, :tenant, :endpoint, :parts, :key, :fingerprint, :token, 0, 0, 1, {us n.t}, n.t,
  n.t + :lease * interval '1 microsecond',
  n.t + :lease_and_unsettled * interval '1 microsecond'
FROM (SELECT clock_timestamp() AS t OFFSET 0) n
ON CONFLICT (id) DO NOTHING RETURNING e.fence, 1, 0, '', {stands}

-- name: claimed_by_another
SELECT {short_entry} FROM retrysafe_entry e
WHERE e.id = :id AND (e.token <> :token OR e.phase > 0)

-- Many calls in one statement, as arrays sorted by id. Of the claims of one key the first one leads:
-- only it may be granted, the others see what is there.
--
-- q holds what the statement's snapshot has of each key. ins waits for an uncommitted insert of the same key,
-- lock_timeout at most; can never waits and decides on the newest version of a row, which it locks. A row that
-- changed after the snapshot is not where upd looks for it: that claim is undecided and asked again.

-- name: claim
WITH q AS MATERIALIZED (
  SELECT * FROM unnest(
    CAST(:id AS bytea[]), CAST(:tenant AS text[]), CAST(:endpoint AS text[]),
    CAST(:parts AS text[]), CAST(:key AS text[]), CAST(:fingerprint AS bytea[]),
    CAST(:token AS bytea[]), CAST(:lease AS bigint[]), CAST(:attempts AS integer[]),
    CAST(:within AS bigint[]), CAST(:leads AS boolean[])) WITH ORDINALITY
    AS q (id, tenant, endpoint, parts, key, fingerprint, token, lease, attempts, within, leads, no)
  LEFT JOIN LATERAL (
    SELECT {short_entry} FROM retrysafe_entry e WHERE e.id = q.id OFFSET 0)
    AS s (s_token, s_fingerprint, s_attempt, s_fence, s_phase, s_created, s_leased, s_expires,
      s_seen, s_outcome) ON true),
ins AS (
  INSERT INTO retrysafe_entry AS e (id, tenant, endpoint, endpoint_parts, key, fingerprint, token,
    phase, previous, attempt, fence, created_at, lease_until, expires_at)
  SELECT q.id, q.tenant, q.endpoint, q.parts, q.key, q.fingerprint, q.token, 0, 0, 1, {us q.t},
    q.t, q.t + q.lease * interval '1 microsecond',
    q.t + (q.lease + :unsettled) * interval '1 microsecond'
  FROM (SELECT o.*, clock_timestamp() AS t FROM (
      SELECT * FROM q WHERE q.leads AND q.s_token IS NULL ORDER BY q.no OFFSET 0) o OFFSET 0) q
  ON CONFLICT (id) DO NOTHING RETURNING e.token, e.fence, {stands} AS stands),
can AS MATERIALIZED (
  SELECT e.place, q.fingerprint, q.token, q.lease, q.t FROM (
    SELECT q.*, clock_timestamp() AS t FROM q OFFSET 0) q CROSS JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e
    WHERE e.id = q.id AND (
      (e.phase = 5 AND e.token <> q.token) OR (e.phase < 5 AND e.expires_at <= q.t)
      OR (e.fingerprint = q.fingerprint AND (
        (e.phase = 0 AND e.token = q.token)
        OR (e.phase = 1 AND e.token <> q.token)
        OR (((e.phase = 2 AND e.token <> q.token) OR (e.phase = 0 AND e.lease_until <= q.t))
          AND e.attempt < q.attempts
          AND q.t - e.created_at <= q.within * interval '1 microsecond'))))
    FOR UPDATE SKIP LOCKED) e
  WHERE q.leads AND (q.s_phase NOT IN (3, 4) OR q.s_expires <= {us q.t})),
upd AS (
  UPDATE retrysafe_entry e SET fingerprint = c.fingerprint, token = c.token, phase = 0,
    previous = CASE WHEN e.phase >= 3 OR e.expires_at <= c.t THEN 0
      WHEN e.phase = 0 AND e.token = c.token THEN e.previous WHEN e.phase = 1 THEN 1 ELSE 2 END,
    attempt = CASE WHEN e.phase >= 3 OR e.expires_at <= c.t THEN 1
      WHEN e.phase = 0 AND e.token = c.token THEN e.attempt ELSE e.attempt + 1 END,
    fence = CASE WHEN e.phase = 0 AND e.token = c.token AND e.expires_at > c.t THEN e.fence
      ELSE greatest(e.fence + 1, {us c.t}) END,
    created_at = CASE WHEN e.phase >= 3 OR e.expires_at <= c.t THEN c.t ELSE e.created_at END,
    steps = CASE WHEN e.phase >= 3 OR e.expires_at <= c.t THEN '' ELSE e.steps END,
    outcome = NULL, status_code = NULL, completed_at = NULL,
    lease_until = c.t + c.lease * interval '1 microsecond',
    expires_at = c.t + (c.lease + :unsettled) * interval '1 microsecond'
  FROM can c WHERE e.ctid = c.place
  RETURNING e.token, e.fence, e.attempt, e.previous, e.steps, {stands} AS stands)
SELECT q.no, NULL, NULL, NULL, NULL, q.s_token, q.s_fingerprint, q.s_attempt, q.s_fence, q.s_phase,
  q.s_created, q.s_leased, q.s_expires, q.s_seen, q.s_outcome
FROM q WHERE q.s_token IS NOT NULL
UNION ALL
SELECT NULL, i.fence, 1, 0, '', i.token, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM ins i WHERE i.stands
UNION ALL
SELECT NULL, u.fence, u.attempt, u.previous, u.steps, u.token, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL
FROM upd u WHERE u.stands

-- Claims that are likely to be of new keys: what is there is neither read nor taken over, and such a claim is
-- asked again. Rows are inserted in the order of the arrays, so that batches of several processes cannot
-- deadlock.

-- name: claim_new
INSERT INTO retrysafe_entry AS e (id, tenant, endpoint, endpoint_parts, key, fingerprint, token,
  phase, previous, attempt, fence, created_at, lease_until, expires_at)
SELECT q.id, q.tenant, q.endpoint, q.parts, q.key, q.fingerprint, q.token, 0, 0, 1, {us q.t}, q.t,
  q.t + q.lease * interval '1 microsecond',
  q.t + (q.lease + :unsettled) * interval '1 microsecond'
FROM (SELECT o.*, clock_timestamp() AS t FROM (
  SELECT unnest(CAST(:id AS bytea[])) AS id, unnest(CAST(:tenant AS text[])) AS tenant,
    unnest(CAST(:endpoint AS text[])) AS endpoint, unnest(CAST(:parts AS text[])) AS parts,
    unnest(CAST(:key AS text[])) AS key, unnest(CAST(:fingerprint AS bytea[])) AS fingerprint,
    unnest(CAST(:token AS bytea[])) AS token, unnest(CAST(:lease AS bigint[])) AS lease OFFSET 0)
  o OFFSET 0) q
ON CONFLICT (id) DO NOTHING
RETURNING NULL, e.fence, 1, 0, '', CASE WHEN {stands} THEN e.token END

-- Completions by owners that still have their rows, as nearly all do. It returns the tokens of those that it
-- completed; the others are completed one by one, by complete.

-- name: complete_owned
UPDATE retrysafe_entry e SET phase = q.phase, status_code = q.status, outcome = q.outcome,
    completed_at = clock_timestamp(), lease_until = least(e.lease_until, clock_timestamp()),
    expires_at = clock_timestamp() + q.retention * interval '1 microsecond'
FROM (SELECT unnest(CAST(:id AS bytea[])) AS id, unnest(CAST(:token AS bytea[])) AS token,
    unnest(CAST(:phase AS integer[])) AS phase, unnest(CAST(:status AS integer[])) AS status,
    unnest(CAST(:outcome AS bytea[])) AS outcome,
    unnest(CAST(:retention AS bigint[])) AS retention OFFSET 0) q
CROSS JOIN LATERAL (SELECT r.ctid AS place FROM retrysafe_entry r WHERE r.id = q.id OFFSET 0) r
WHERE e.ctid = r.place AND e.token = q.token AND e.phase < 3 AND e.expires_at > clock_timestamp()
RETURNING e.token

-- A transaction that settles the entry together with its effect may hold the row for long: it is passed over.

-- name: renew_all
WITH q AS MATERIALIZED (
  SELECT q.token, q.lease * interval '1 microsecond' AS lease, e.place FROM
    unnest(CAST(:id AS bytea[]), CAST(:token AS bytea[]), CAST(:lease AS bigint[]))
      AS q (id, token, lease) LEFT JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e
    WHERE e.id = q.id AND e.token = q.token AND e.phase = 0 AND e.expires_at > clock_timestamp()
    OFFSET 0) e ON true),
can AS MATERIALIZED (
  SELECT e.place, q.lease FROM q CROSS JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e
    WHERE e.ctid = q.place AND e.token = q.token AND e.phase = 0
      AND e.expires_at > clock_timestamp()
    FOR UPDATE SKIP LOCKED) e),
upd AS (
  UPDATE retrysafe_entry e SET lease_until = clock_timestamp() + c.lease,
    expires_at = clock_timestamp() + c.lease + :unsettled * interval '1 microsecond'
  FROM can c WHERE e.ctid = c.place RETURNING e.token)
SELECT u.token, true FROM upd u UNION ALL SELECT q.token, false FROM q WHERE q.place IS NULL

-- name: releasable
e.token = q.token AND ((e.phase < 3 AND e.expires_at > clock_timestamp()) OR (e.phase = 5 AND q.how = 5))

-- A row that another transaction uses, or that changed after the snapshot, is neither updated nor returned.

-- name: release_all
WITH q AS MATERIALIZED (
  SELECT q.token, q.how, e.place FROM
    unnest(CAST(:id AS bytea[]), CAST(:token AS bytea[]), CAST(:how AS integer[]))
      AS q (id, token, how) LEFT JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e WHERE e.id = q.id AND {releasable} OFFSET 0)
    e ON true),
can AS MATERIALIZED (
  SELECT e.place, q.how FROM q CROSS JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e WHERE e.ctid = q.place AND {releasable}
    FOR UPDATE SKIP LOCKED) e),
upd AS (
  UPDATE retrysafe_entry e SET
    lease_until = least(e.lease_until, clock_timestamp()),
    expires_at = CASE WHEN e.phase = 5 THEN e.expires_at
      WHEN c.how = 5 AND e.steps = '' AND e.previous = 0 THEN {after :freed}
      ELSE {after :unsettled} END,
    phase = CASE WHEN e.phase = 5 OR (c.how = 5 AND e.steps = '' AND e.previous = 0) THEN 5
      WHEN c.how = 5 AND e.previous = 0 THEN 1
      WHEN c.how = 5 THEN e.previous
      ELSE c.how END
  FROM can c WHERE e.ctid = c.place RETURNING e.token)
SELECT u.token, true FROM upd u UNION ALL SELECT q.token, false FROM q WHERE q.place IS NULL

-- Whether a name is there and a step fits is decided on the snapshot; a row that changed after it is left out, as above.

-- name: step_all
WITH q AS MATERIALIZED (
  SELECT q.token, q.step, e.place, e.is_there, q.size + e.taken > :largest AS is_full, e.taken FROM
    unnest(CAST(:id AS bytea[]), CAST(:token AS bytea[]), CAST(:mark AS text[]),
      CAST(:step AS text[]), CAST(:size AS integer[])) AS q (id, token, mark, step, size)
    LEFT JOIN LATERAL (
    SELECT e.ctid AS place, strpos(e.steps, q.mark) > 0 AS is_there,
      length(replace(replace(e.steps, ';', ''), ':', '')) / 2 AS taken
    FROM retrysafe_entry e
    WHERE e.id = q.id AND e.token = q.token AND e.phase < 3 AND e.expires_at > clock_timestamp()
    OFFSET 0) e ON true),
can AS MATERIALIZED (
  SELECT e.place, q.step FROM q CROSS JOIN LATERAL (
    SELECT e.ctid AS place FROM retrysafe_entry e
    WHERE e.ctid = q.place AND e.token = q.token AND e.phase < 3
      AND e.expires_at > clock_timestamp()
    FOR UPDATE SKIP LOCKED) e
  WHERE NOT q.is_there AND NOT q.is_full),
upd AS (
  UPDATE retrysafe_entry e SET steps = e.steps || c.step FROM can c WHERE e.ctid = c.place
  RETURNING e.token)
SELECT u.token, true, NULL FROM upd u
UNION ALL
SELECT q.token, q.place IS NOT NULL, CASE WHEN NOT q.is_there AND q.is_full THEN q.taken END
FROM q WHERE q.place IS NULL OR q.is_there OR q.is_full

-- name: add_events
INSERT INTO retrysafe_event (entry_id, kind, seen_by, first_at, last_at, times, detail)
SELECT e.id, q.kind, q.seen_by, {moment q.first_at}, {moment q.last_at}, q.times, q.detail
FROM unnest(
  CAST(:id AS bytea[]), CAST(:kind AS text[]), CAST(:by AS text[]), CAST(:first AS bigint[]),
  CAST(:last AS bigint[]), CAST(:times AS integer[]), CAST(:detail AS text[])) WITH ORDINALITY
  AS q (id, kind, seen_by, first_at, last_at, times, detail, no)
CROSS JOIN LATERAL (SELECT e.id FROM retrysafe_entry e WHERE e.id = q.id OFFSET 0) e
ORDER BY q.no
