-- Statements that all dialects share. {now}, {at}, {after x}, {us x} and the like are the dialect's own
-- expressions, {names} are other parts of this file, :names are parameters. MariaDB assigns from left to right and sees what
-- it assigned, so whatever others read is assigned last: phase at the very end.
--
-- phase: 0 running, 1 resumable, 2 unknown, 3 completed, 4 failed, 5 freed
-- previous: 0 absent, 1 resumable, 2 unknown

-- name: facts
e.token, e.fingerprint, e.attempt, e.fence, e.phase,
  {us e.created_at}, {us e.lease_until}, {us e.expires_at}

-- The time at which a snapshot shows an entry: not later than the snapshot, and not earlier than what happened to the
-- entry. The lease of an entry that was released or settled ended then.

-- name: seen_at
{us {latest {at}, CASE WHEN e.phase = 0 THEN e.created_at ELSE e.lease_until END}}

-- name: entry
{facts}, {seen_at}, e.outcome

-- An answer that is larger than its share of a batch is left out, and read by itself.

-- name: answer
CASE WHEN length(%1$s) <= :share THEN %1$s END

-- name: short_entry
{facts}, {seen_at}, {answer e.outcome}

-- name: named
e.tenant, e.endpoint, e.endpoint_parts, e.{key}

-- name: complete
UPDATE retrysafe_entry SET
  outcome = CASE WHEN phase >= 3 THEN outcome ELSE :outcome END,
  status_code = CASE WHEN phase >= 3 THEN status_code ELSE :status END,
  completed_at = CASE WHEN phase >= 3 THEN completed_at ELSE {now} END,
  lease_until = CASE WHEN phase >= 3 OR lease_until < {now} THEN lease_until ELSE {now} END,
  expires_at = CASE WHEN phase >= 3 THEN expires_at ELSE {after :retention} END,
  phase = CASE WHEN phase >= 3 THEN phase ELSE :phase END
WHERE id = :id AND token = :token AND phase <= 4 AND expires_at > {now}

-- name: joined_complete
{complete}

-- name: verdict
SELECT e.token, e.phase FROM retrysafe_entry e WHERE e.id = :id {for_update}

-- name: release
UPDATE retrysafe_entry SET
  lease_until = CASE WHEN lease_until < {now} THEN lease_until ELSE {now} END,
  expires_at = CASE WHEN phase = 5 THEN expires_at
    WHEN :how = 5 AND steps = '' AND previous = 0 THEN {after :freed}
    ELSE {after :unsettled} END,
  phase = CASE WHEN phase = 5 OR (:how = 5 AND steps = '' AND previous = 0) THEN 5
    WHEN :how = 5 AND previous = 0 THEN 1
    WHEN :how = 5 THEN previous
    ELSE :how END
WHERE id = :id AND token = :token
  AND ((phase < 3 AND expires_at > {now}) OR (phase = 5 AND :how = 5))

-- name: renew
UPDATE retrysafe_entry SET lease_until = {after :lease}, expires_at = {after :lease_and_unsettled}
WHERE id = :id AND token = :token AND phase = 0 AND expires_at > {now}

-- name: step
UPDATE retrysafe_entry SET
  steps = CASE WHEN {text :mark at steps} > 0 THEN steps ELSE {join steps :step} END
WHERE id = :id AND token = :token AND phase < 3 AND expires_at > {now}
  AND ({text :mark at steps} > 0
    OR length(replace(replace(steps, ';', ''), ':', '')) / 2 + :size <= :largest)

-- Why a step was not written: the size of the steps, and whether the same name was written meanwhile.

-- name: fits
SELECT length(replace(replace(steps, ';', ''), ':', '')) / 2,
  CASE WHEN {text :mark at steps} > 0 THEN 1 ELSE 0 END
FROM retrysafe_entry WHERE id = :id AND token = :token AND phase < 3 AND expires_at > {now}

-- name: find
SELECT {short_entry} FROM retrysafe_entry e WHERE e.id = :id AND e.phase < 5 AND e.expires_at > {at}

-- name: held
SELECT {short_entry} FROM retrysafe_entry e WHERE e.id = :id

-- name: resolve
UPDATE retrysafe_entry SET
  token = :word,
  outcome = CASE WHEN :phase = 5 THEN NULL ELSE :outcome END,
  status_code = CASE WHEN :phase = 5 THEN NULL ELSE :status END,
  completed_at = CASE WHEN :phase = 5 THEN NULL ELSE {now} END,
  lease_until = CASE WHEN lease_until < {now} THEN lease_until ELSE {now} END,
  expires_at = CASE WHEN :phase < 5 THEN {after :retention}
    WHEN :forget = 0 AND steps <> '' THEN {after :unsettled}
    ELSE {after :freed} END,
  phase = CASE WHEN :phase = 5 AND :forget = 0 AND steps <> '' THEN 1 ELSE :phase END,
  steps = CASE WHEN :forget = 1 THEN '' ELSE steps END
WHERE id = :id AND token = :token AND fence = :fence AND phase < 5 AND expires_at > {now}
  AND (phase < 3 OR :forget = 1) AND NOT (phase = 0 AND lease_until > {now})

-- name: resolved
SELECT e.token, e.fence, e.phase,
  CASE WHEN e.phase = 5 OR e.expires_at > {now} THEN 1 ELSE 0 END,
  CASE WHEN e.phase = 0 AND e.lease_until > {now} THEN 1 ELSE 0 END
FROM retrysafe_entry e WHERE e.id = :id

-- name: open
e.phase < 3

-- name: lazily


-- A fence ahead of the clock must be outlived, so that the next one is larger. A claim that read its clock before
-- the removed row was granted, and inserts after the removal, would get a smaller fence: so a row stays, expired, for
-- longer than any statement may run.

-- name: expired
SELECT e.id FROM retrysafe_entry e
WHERE e.phase >= 3 AND e.expires_at <= {before :grace} AND e.fence < {us {at}}
ORDER BY e.expires_at LIMIT :limit {skip_locked}

-- Nothing younger than the unsettled retention can have expired: the rest of the index is not read.

-- name: expired_open
SELECT e.id, {entry}, {named} FROM retrysafe_entry e
WHERE {open} AND e.created_at <= {before :unsettled} AND e.expires_at <= {before :grace}
  AND e.fence < {us {at}}
ORDER BY e.created_at LIMIT :limit {skip_locked}

-- The order of rows to which no index leads: the table is read once, as it lies, and what fits is sorted. Along the
-- primary key each row would be a jump.

-- name: scanned
e.id

-- name: searching
{settings}

-- name: browse
SELECT e.id, {short_entry}, {named} FROM retrysafe_entry e WHERE e.expires_at > {at}

-- Lengths are read without reading the values.

-- name: usage
WITH held AS (
  SELECT e.tenant, COUNT(*) AS entries,
    SUM(256 + {bytes_of e.{key}} + {bytes_of e.steps} + COALESCE({bytes_of e.outcome}, 0)) AS bytes
  FROM retrysafe_entry e WHERE e.phase < 5 AND e.expires_at > {at} GROUP BY e.tenant)
SELECT NULL, COALESCE(SUM(entries), 0), COALESCE(SUM(bytes), 0) FROM held
UNION ALL SELECT tenant, entries, bytes FROM held WHERE entries >= :entries OR bytes >= :bytes

-- name: merge_event
UPDATE retrysafe_event SET last_at = {moment :last}, times = times + :times, detail = :detail
WHERE entry_id = :id AND kind = :kind AND seen_by = :by

-- name: add_event
INSERT INTO retrysafe_event (entry_id, kind, seen_by, first_at, last_at, times, detail)
SELECT e.id, :kind, :by, {moment :first}, {moment :last}, :times, :detail
FROM retrysafe_entry e WHERE e.id = :id

-- name: trim_events
DELETE FROM retrysafe_event WHERE entry_id = :id AND kind <> 'resolved' AND no <= (
  SELECT m FROM (SELECT no AS m FROM retrysafe_event WHERE entry_id = :id
    ORDER BY no DESC LIMIT 1 OFFSET :most) AS old)

-- name: events
SELECT kind, seen_by, {us first_at}, {us last_at}, times, detail FROM retrysafe_event
WHERE entry_id = :id ORDER BY no

-- name: is_audited
SELECT 1 FROM retrysafe_audit
WHERE done_at = {moment :first} AND entry_id = :id AND seen_by = :by AND detail = :detail

-- name: add_audit
INSERT INTO retrysafe_audit (tenant, endpoint, endpoint_parts, {key}, entry_id, seen_by, done_at, detail)
VALUES (:tenant, :endpoint, :parts, :key, :id, :by, {moment :first}, :detail)

-- name: audit
SELECT e.tenant, e.endpoint, e.endpoint_parts, e.{key}, e.seen_by, {us e.done_at}, e.detail
FROM retrysafe_audit e WHERE e.done_at < {moment :before} ORDER BY e.done_at DESC, e.no DESC LIMIT :limit

-- name: keep_secret
INSERT INTO retrysafe_secret (name, secret) VALUES (:name, :secret) ON CONFLICT (name) DO NOTHING

-- name: secret
SELECT secret FROM retrysafe_secret WHERE name = :name
