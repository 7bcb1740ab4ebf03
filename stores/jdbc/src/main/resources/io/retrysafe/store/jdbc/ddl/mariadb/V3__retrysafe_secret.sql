-- Retrysafe, from version 2 to 3, MariaDB and MySQL: secrets that all processes on the store share.

CREATE TABLE retrysafe_secret (
  name varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  secret varbinary(1024) NOT NULL
) ENGINE = InnoDB;

UPDATE retrysafe_schema SET version = 3;
