-- Retrysafe, from version 2 to 3, SQLite: secrets that all processes on the store share.

CREATE TABLE retrysafe_secret (
  name TEXT NOT NULL PRIMARY KEY,
  secret BLOB NOT NULL
);

UPDATE retrysafe_schema SET version = 3;
