-- Retrysafe, from version 2 to 3, PostgreSQL: secrets that all processes on the store share.

CREATE TABLE retrysafe_secret (
  name text PRIMARY KEY,
  secret bytea NOT NULL
);

UPDATE retrysafe_schema SET version = 3;
