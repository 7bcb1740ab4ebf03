-- now is the process's clock, read after the transaction began.

-- name: now
:now

-- name: at
:now

-- name: after
:now + %s

-- name: before
:now - %s

-- name: moment
%s

-- name: latest
max(%s)

-- name: us
%s

-- name: text
instr(%2$s, %1$s)

-- name: join
%s || %s

-- name: bytes_of
length(CAST(%s AS BLOB))

-- name: key
key

-- name: for_update


-- name: skip_locked


-- The cache holds the index of a few million keys; checkpoints are rarer than by default, because each of them
-- stalls the writer.

-- name: settings
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA busy_timeout = %1$d;
PRAGMA cache_size = -65536;
PRAGMA wal_autocheckpoint = 8192

-- name: scanned
+e.id

-- name: resets


-- name: claim
INSERT INTO retrysafe_entry AS e (id, tenant, endpoint, endpoint_parts, key, fingerprint, token,
  phase, previous, attempt, fence, created_at, lease_until, expires_at)
VALUES (:id, :tenant, :endpoint, :parts, :key, :fingerprint, :token, 0, 0, 1, :now, :now,
  :now + :lease, :now + :lease + :unsettled)
ON CONFLICT (id) DO UPDATE SET
  fingerprint = excluded.fingerprint, token = excluded.token, phase = 0,
  previous = CASE WHEN e.phase >= 3 OR e.expires_at <= :now THEN 0
    WHEN e.phase = 0 AND e.token = excluded.token THEN e.previous WHEN e.phase = 1 THEN 1 ELSE 2 END,
  attempt = CASE WHEN e.phase >= 3 OR e.expires_at <= :now THEN 1
    WHEN e.phase = 0 AND e.token = excluded.token THEN e.attempt ELSE e.attempt + 1 END,
  fence = CASE WHEN e.phase = 0 AND e.token = excluded.token AND e.expires_at > :now THEN e.fence
    ELSE max(e.fence + 1, :now) END,
  created_at = CASE WHEN e.phase >= 3 OR e.expires_at <= :now THEN :now ELSE e.created_at END,
  steps = CASE WHEN e.phase >= 3 OR e.expires_at <= :now THEN '' ELSE e.steps END,
  outcome = NULL, status_code = NULL, completed_at = NULL,
  lease_until = :now + :lease, expires_at = :now + :lease + :unsettled
WHERE (e.phase = 5 AND e.token <> excluded.token) OR (e.phase < 5 AND e.expires_at <= :now)
  OR (e.fingerprint = excluded.fingerprint AND (
    (e.phase = 0 AND e.token = excluded.token)
    OR (e.phase = 1 AND e.token <> excluded.token)
    OR (((e.phase = 2 AND e.token <> excluded.token) OR (e.phase = 0 AND e.lease_until <= :now)) AND e.attempt < :attempts
      AND :now - e.created_at <= :within)))
RETURNING fence, attempt, previous, steps
