-- Retrysafe, from version 1 to 2, PostgreSQL: what operators did, which outlives what they did it to.

CREATE TABLE retrysafe_audit (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  endpoint text NOT NULL,
  endpoint_parts text,
  key text NOT NULL,
  entry_id bytea NOT NULL,
  seen_by text NOT NULL,
  done_at timestamptz NOT NULL,
  detail text NOT NULL
);

CREATE INDEX retrysafe_audit_done ON retrysafe_audit (done_at);

UPDATE retrysafe_schema SET version = 2;
