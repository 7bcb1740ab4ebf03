-- Retrysafe, tables of version 1, MariaDB 10.6 or later, and MySQL 8.0.13 or later (untested there). Times are UTC.

CREATE TABLE retrysafe_entry (
  id binary(24) NOT NULL PRIMARY KEY,
  tenant varchar(4096) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  endpoint text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  endpoint_parts text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  `key` varchar(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  fingerprint varbinary(100) NOT NULL,
  token binary(16) NOT NULL,
  phase tinyint NOT NULL,
  previous tinyint NOT NULL,
  attempt integer NOT NULL,
  fence bigint NOT NULL,
  status_code integer,
  created_at datetime(6) NOT NULL,
  completed_at datetime(6),
  lease_until datetime(6) NOT NULL,
  expires_at datetime(6) NOT NULL,
  steps mediumtext CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  outcome longblob,
  INDEX retrysafe_entry_expires (expires_at),
  INDEX retrysafe_entry_unsettled (phase, created_at)
) ENGINE = InnoDB;

CREATE TABLE retrysafe_event (
  no bigint NOT NULL AUTO_INCREMENT UNIQUE,
  entry_id binary(24) NOT NULL,
  kind varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  seen_by varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  first_at datetime(6) NOT NULL,
  last_at datetime(6) NOT NULL,
  times integer NOT NULL,
  detail text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (entry_id, no)
) ENGINE = InnoDB;

CREATE VIEW retrysafe_operation AS
SELECT tenant, endpoint, `key`,
  CASE WHEN phase = 0 AND lease_until > UTC_TIMESTAMP(6) THEN 'in_progress'
    WHEN phase = 1 THEN 'resumable'
    WHEN phase = 3 THEN 'completed'
    WHEN phase = 4 THEN 'failed'
    ELSE 'unknown' END AS state,
  status_code, attempt, created_at, lease_until, completed_at, expires_at
FROM retrysafe_entry WHERE phase < 5 AND expires_at > UTC_TIMESTAMP(6);

CREATE TABLE retrysafe_schema (version integer NOT NULL) ENGINE = InnoDB;

INSERT INTO retrysafe_schema (version) VALUES (1);
