CREATE TABLE IF NOT EXISTS payment (
  id varchar(36) NOT NULL PRIMARY KEY,
  merchant varchar(100) NOT NULL,
  cents bigint NOT NULL,
  currency varchar(3) NOT NULL
);
