-- Retrysafe, from version 1 to 2, SQLite: what operators did, which outlives what they did it to.

CREATE TABLE retrysafe_audit (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  endpoint_parts TEXT,
  key TEXT NOT NULL,
  entry_id BLOB NOT NULL,
  seen_by TEXT NOT NULL,
  done_at INTEGER NOT NULL,
  detail TEXT NOT NULL
);

CREATE INDEX retrysafe_audit_done ON retrysafe_audit (done_at);

UPDATE retrysafe_schema SET version = 2;
