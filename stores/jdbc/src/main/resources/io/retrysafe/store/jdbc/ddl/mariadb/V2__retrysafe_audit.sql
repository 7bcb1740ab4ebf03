-- Retrysafe, from version 1 to 2, MariaDB and MySQL: what operators did, which outlives what they did it to. Times are UTC.

CREATE TABLE retrysafe_audit (
  no bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  tenant varchar(4096) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  endpoint text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  endpoint_parts text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  `key` varchar(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  entry_id binary(24) NOT NULL,
  seen_by varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  done_at datetime(6) NOT NULL,
  detail text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  INDEX retrysafe_audit_done (done_at)
) ENGINE = InnoDB;

UPDATE retrysafe_schema SET version = 2;
