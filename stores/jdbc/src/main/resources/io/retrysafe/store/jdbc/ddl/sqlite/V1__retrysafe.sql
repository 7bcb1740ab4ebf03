-- Retrysafe, tables of version 1, SQLite 3.37 or later. Times are microseconds since 1970 in UTC; the
-- view shows them as text.

CREATE TABLE retrysafe_entry (
  id BLOB NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  endpoint_parts TEXT,
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  token BLOB NOT NULL,
  phase INTEGER NOT NULL,
  previous INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  status_code INTEGER,
  created_at INTEGER NOT NULL,
  completed_at INTEGER,
  lease_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  steps TEXT NOT NULL DEFAULT '',
  outcome BLOB
);

CREATE INDEX retrysafe_entry_expires ON retrysafe_entry (expires_at) WHERE phase >= 3;

CREATE INDEX retrysafe_entry_unsettled ON retrysafe_entry (created_at, id) WHERE phase < 3;

CREATE TABLE retrysafe_event (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  entry_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  seen_by TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  times INTEGER NOT NULL,
  detail TEXT NOT NULL
);

CREATE INDEX retrysafe_event_entry ON retrysafe_event (entry_id, no);

CREATE VIEW retrysafe_operation AS
SELECT tenant, endpoint, key,
  CASE WHEN phase = 0 AND lease_until > CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)
      THEN 'in_progress'
    WHEN phase = 1 THEN 'resumable'
    WHEN phase = 3 THEN 'completed'
    WHEN phase = 4 THEN 'failed'
    ELSE 'unknown' END AS state,
  status_code, attempt,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', lease_until / 1000000.0, 'unixepoch') AS lease_until,
  strftime('%Y-%m-%dT%H:%M:%fZ', completed_at / 1000000.0, 'unixepoch') AS completed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', expires_at / 1000000.0, 'unixepoch') AS expires_at
FROM retrysafe_entry
WHERE phase < 5 AND expires_at > CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER);

CREATE TABLE retrysafe_schema (version INTEGER NOT NULL);

INSERT INTO retrysafe_schema (version) VALUES (1);
