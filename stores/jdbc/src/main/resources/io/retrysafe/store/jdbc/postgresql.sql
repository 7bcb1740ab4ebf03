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

-- name: for_update
FOR UPDATE

-- name: skip_locked
FOR UPDATE OF e SKIP LOCKED

-- name: settings
SET lock_timeout = '%2$dms';
SET statement_timeout = '%1$dms';
SET plan_cache_mode = force_generic_plan

-- name: resets
RESET lock_timeout;
RESET statement_timeout;
RESET plan_cache_mode

-- Many calls in one statement, as arrays sorted by id. Of the claims of one key the first one leads:
-- only it may be granted, the others see what is there.
--
-- seen is the statement's snapshot. ins waits for an uncommitted insert of the same key, lock_timeout at
-- most; can never waits and decides on the newest version of a row, which it locks.

-- name: claim
WITH n AS MATERIALIZED (SELECT t, {us t} AS us FROM (SELECT clock_timestamp() AS t OFFSET 0) c),
q AS MATERIALIZED (SELECT * FROM unnest(
  CAST(:id AS bytea[]), CAST(:tenant AS text[]), CAST(:endpoint AS text[]), CAST(:parts AS text[]),
  CAST(:key AS text[]), CAST(:fingerprint AS bytea[]), CAST(:token AS bytea[]),
  CAST(:lease AS bigint[]), CAST(:attempts AS integer[]), CAST(:within AS bigint[]),
  CAST(:leads AS boolean[])) WITH ORDINALITY
  AS q (id, tenant, endpoint, parts, key, fingerprint, token, lease, attempts, within, leads, no)),
seen AS MATERIALIZED (
  SELECT e.*, q.no FROM q JOIN retrysafe_entry e ON e.id = q.id),
ins AS (
  INSERT INTO retrysafe_entry AS e (id, tenant, endpoint, endpoint_parts, key, fingerprint, token,
    phase, previous, attempt, fence, created_at, lease_until, expires_at)
  SELECT q.id, q.tenant, q.endpoint, q.parts, q.key, q.fingerprint, q.token, 0, 0, 1, n.us, n.t,
    n.t + q.lease * interval '1 microsecond',
    n.t + (q.lease + :unsettled) * interval '1 microsecond'
  FROM q, n WHERE q.leads AND NOT EXISTS (SELECT FROM seen s WHERE s.no = q.no) ORDER BY q.id
  ON CONFLICT (id) DO NOTHING RETURNING e.token, e.fence),
can AS MATERIALIZED (
  SELECT e.id, q.fingerprint, q.token, q.lease FROM q JOIN retrysafe_entry e ON e.id = q.id, n
  WHERE q.leads AND ((e.phase = 5 AND e.token <> q.token) OR (e.phase < 5 AND e.expires_at <= n.t)
    OR (e.fingerprint = q.fingerprint AND (
      (e.phase = 0 AND e.token = q.token)
      OR (e.phase = 1 AND e.token <> q.token)
      OR (((e.phase = 2 AND e.token <> q.token) OR (e.phase = 0 AND e.lease_until <= n.t)) AND e.attempt < q.attempts
        AND n.t - e.created_at <= q.within * interval '1 microsecond'))))
  ORDER BY e.id FOR UPDATE OF e SKIP LOCKED),
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
  FROM can c, n WHERE e.id = c.id
  RETURNING e.token, e.attempt, e.fence, e.previous, e.steps)
SELECT q.no, coalesce(i.fence, u.fence), coalesce(u.attempt, 1), coalesce(u.previous, 0), u.steps,
  {facts}, n.us, e.outcome
FROM q CROSS JOIN n LEFT JOIN ins i ON q.leads AND i.token = q.token
  LEFT JOIN upd u ON q.leads AND u.token = q.token LEFT JOIN seen e ON e.no = q.no

-- name: complete_all
WITH q AS MATERIALIZED (SELECT * FROM unnest(
  CAST(:id AS bytea[]), CAST(:token AS bytea[]), CAST(:phase AS integer[]),
  CAST(:status AS integer[]), CAST(:outcome AS bytea[]), CAST(:retention AS bigint[]))
  AS q (id, token, phase, status, outcome, retention)),
seen AS MATERIALIZED (
  SELECT q.token, e.phase FROM q JOIN retrysafe_entry e ON e.id = q.id AND e.token = q.token
  WHERE e.phase < 5 AND e.expires_at > clock_timestamp()),
can AS MATERIALIZED (
  SELECT e.id, q.phase, q.status, q.outcome, q.retention
  FROM q JOIN retrysafe_entry e ON e.id = q.id AND e.token = q.token
  WHERE e.phase < 3 AND e.expires_at > clock_timestamp() ORDER BY e.id FOR UPDATE OF e SKIP LOCKED),
upd AS (
  UPDATE retrysafe_entry e SET phase = c.phase, status_code = c.status, outcome = c.outcome,
    completed_at = clock_timestamp(), lease_until = least(e.lease_until, clock_timestamp()),
    expires_at = clock_timestamp() + c.retention * interval '1 microsecond'
  FROM can c WHERE e.id = c.id RETURNING e.token)
SELECT q.token, CASE WHEN u.token IS NOT NULL OR s.phase >= 3 THEN 1
  WHEN s.phase < 3 THEN 2 ELSE 0 END
FROM q LEFT JOIN upd u ON u.token = q.token LEFT JOIN seen s ON s.token = q.token

-- name: renew_all
WITH q AS MATERIALIZED (
  SELECT * FROM unnest(CAST(:id AS bytea[]), CAST(:token AS bytea[])) AS q (id, token)),
seen AS MATERIALIZED (
  SELECT q.token FROM q JOIN retrysafe_entry e ON e.id = q.id AND e.token = q.token
  WHERE e.phase = 0 AND e.expires_at > clock_timestamp()),
can AS MATERIALIZED (
  SELECT e.id FROM q JOIN retrysafe_entry e ON e.id = q.id AND e.token = q.token
  WHERE e.phase = 0 AND e.expires_at > clock_timestamp() ORDER BY e.id FOR UPDATE OF e SKIP LOCKED),
upd AS (
  UPDATE retrysafe_entry e SET lease_until = clock_timestamp() + :lease * interval '1 microsecond',
    expires_at = clock_timestamp() + :lease_and_unsettled * interval '1 microsecond'
  FROM can c WHERE e.id = c.id RETURNING e.token)
SELECT q.token, CASE WHEN u.token IS NOT NULL THEN 1 WHEN s.token IS NOT NULL THEN 2 ELSE 0 END
FROM q LEFT JOIN upd u ON u.token = q.token LEFT JOIN seen s ON s.token = q.token
