-- Retrysafe, tables of version 1, PostgreSQL 14 or later.

CREATE TABLE retrysafe_entry (
  id bytea PRIMARY KEY,
  tenant text NOT NULL,
  endpoint text NOT NULL,
  endpoint_parts text,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  token bytea NOT NULL,
  phase smallint NOT NULL,
  previous smallint NOT NULL,
  attempt integer NOT NULL,
  fence bigint NOT NULL,
  status_code integer,
  created_at timestamptz NOT NULL,
  completed_at timestamptz,
  lease_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  steps text NOT NULL DEFAULT '',
  outcome bytea
) WITH (fillfactor = 80);

CREATE INDEX retrysafe_entry_expires ON retrysafe_entry (expires_at) WHERE phase >= 3;

-- The sum keeps planners from taking this index for looking up one running entry.
CREATE INDEX retrysafe_entry_unsettled ON retrysafe_entry (created_at, id) WHERE phase + 0 < 3;

CREATE TABLE retrysafe_event (
  no bigint GENERATED ALWAYS AS IDENTITY,
  entry_id bytea NOT NULL,
  kind text NOT NULL,
  seen_by text NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  times integer NOT NULL,
  detail text NOT NULL,
  PRIMARY KEY (entry_id, no)
);

CREATE VIEW retrysafe_operation AS
SELECT tenant, endpoint, key,
  CASE WHEN phase = 0 AND lease_until > clock_timestamp() THEN 'in_progress'
    WHEN phase = 1 THEN 'resumable'
    WHEN phase = 3 THEN 'completed'
    WHEN phase = 4 THEN 'failed'
    ELSE 'unknown' END AS state,
  status_code, attempt, created_at, lease_until, completed_at, expires_at
FROM retrysafe_entry WHERE phase < 5 AND expires_at > clock_timestamp();

CREATE TABLE retrysafe_schema (version integer NOT NULL);

INSERT INTO retrysafe_schema (version) VALUES (1);
