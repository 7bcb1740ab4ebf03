-- What differs from MariaDB. There is no INSERT ... RETURNING: the claim is decided by one statement and read by the
-- next in the same transaction, which has the row's lock since. A lock cannot be refused at once, only after a second.
-- Statements other than SELECT have no time limit of their own; the connection has one.

-- name: claim
{upsert}

-- name: claimed
SELECT e.fence, e.attempt, e.previous, e.steps, {short_entry} FROM retrysafe_entry e WHERE e.id = :id

-- name: settings
SET time_zone = '+00:00', innodb_lock_wait_timeout = 1

-- name: resets
SET time_zone = DEFAULT, innodb_lock_wait_timeout = DEFAULT
