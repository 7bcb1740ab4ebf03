-- SYSDATE is the time when it is evaluated, NOW that of the statement's start: stale after a wait, but never later than
-- what the statement reads, so it is what readers compare with. A lock that is taken is answered at once and asked
-- for again by the caller.

-- name: now
SYSDATE(6)

-- name: at
NOW(6)

-- name: after
(SYSDATE(6) + INTERVAL %s MICROSECOND)

-- name: before
(NOW(6) - INTERVAL %s MICROSECOND)

-- name: moment
(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL %s MICROSECOND)

-- name: latest
GREATEST(%s)

-- name: us
TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', %s)

-- name: text
INSTR(%2$s, %1$s)

-- name: join
CONCAT(%s, %s)

-- name: bytes_of
OCTET_LENGTH(%s)

-- name: key
`key`

-- name: for_update
FOR UPDATE

-- name: skip_locked
FOR UPDATE SKIP LOCKED

-- name: settings
SET time_zone = '+00:00', innodb_lock_wait_timeout = 0, max_statement_time = %1$d / 1000

-- name: resets
SET time_zone = DEFAULT, innodb_lock_wait_timeout = DEFAULT, max_statement_time = DEFAULT

-- In somebody else's session, whose time zone may be any.

-- name: joined_complete
UPDATE retrysafe_entry SET
  outcome = CASE WHEN phase >= 3 THEN outcome ELSE :outcome END,
  status_code = CASE WHEN phase >= 3 THEN status_code ELSE :status END,
  completed_at = CASE WHEN phase >= 3 THEN completed_at ELSE UTC_TIMESTAMP(6) END,
  lease_until = CASE WHEN phase >= 3 THEN lease_until ELSE LEAST(lease_until, UTC_TIMESTAMP(6)) END,
  expires_at = CASE WHEN phase >= 3 THEN expires_at
    ELSE UTC_TIMESTAMP(6) + INTERVAL :retention MICROSECOND END,
  phase = CASE WHEN phase >= 3 THEN phase ELSE :phase END
WHERE id = :id AND token = :token AND phase <= 4 AND expires_at > UTC_TIMESTAMP(6)

-- What the claim is decides @d, once, in the first assignment: 1 first, 2 again, 3 takeover of a
-- resumable entry, 4 of a lapsed one, 0 held. Later assignments look at @d only.

-- name: keep_secret
INSERT INTO retrysafe_secret (name, secret) VALUES (:name, :secret) ON DUPLICATE KEY UPDATE name = name

-- name: upsert
INSERT INTO retrysafe_entry (id, tenant, endpoint, endpoint_parts, `key`, fingerprint, token,
  phase, previous, attempt, fence, created_at, lease_until, expires_at, steps)
VALUES (:id, :tenant, :endpoint, :parts, :key, :fingerprint, :token, 0, 0, 1, {us SYSDATE(6)},
  SYSDATE(6), {after :lease}, {after :lease_and_unsettled}, '')
ON DUPLICATE KEY UPDATE
  attempt = CASE (@d := CASE
      WHEN phase = 5 AND token = VALUES(token) THEN 0
      WHEN phase = 5 OR expires_at <= SYSDATE(6) THEN 1
      WHEN fingerprint <> VALUES(fingerprint) THEN 0
      WHEN phase = 0 AND token = VALUES(token) THEN 2
      WHEN token = VALUES(token) THEN 0
      WHEN phase = 1 THEN 3
      WHEN (phase = 2 OR (phase = 0 AND lease_until <= SYSDATE(6))) AND attempt < :attempts
        AND TIMESTAMPDIFF(MICROSECOND, created_at, SYSDATE(6)) <= :within THEN 4
      ELSE 0 END)
    WHEN 1 THEN 1 WHEN 3 THEN attempt + 1 WHEN 4 THEN attempt + 1 ELSE attempt END,
  previous = CASE @d WHEN 1 THEN 0 WHEN 3 THEN 1 WHEN 4 THEN 2 ELSE previous END,
  fence = IF(@d IN (1, 3, 4), GREATEST(fence + 1, {us SYSDATE(6)}), fence),
  created_at = IF(@d = 1, SYSDATE(6), created_at),
  steps = IF(@d = 1, '', steps),
  outcome = IF(@d = 0, outcome, NULL),
  status_code = IF(@d = 0, status_code, NULL),
  completed_at = IF(@d = 0, completed_at, NULL),
  fingerprint = IF(@d = 1, VALUES(fingerprint), fingerprint),
  token = IF(@d IN (1, 3, 4), VALUES(token), token),
  lease_until = IF(@d = 0, lease_until, {after :lease}),
  expires_at = IF(@d = 0, expires_at, {after :lease_and_unsettled}),
  phase = IF(@d = 0, phase, 0)

-- name: claim
{upsert}
RETURNING fence, attempt, previous, steps, token, fingerprint, attempt, fence, phase,
  {us created_at}, {us lease_until}, {us expires_at}, {us SYSDATE(6)},
  {answer outcome}
