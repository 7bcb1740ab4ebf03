/**
 * The store on PostgreSQL, MariaDB and SQLite. Start at {@link io.retrysafe.store.jdbc.JdbcStore};
 * the tables are made and checked by {@link io.retrysafe.store.jdbc.JdbcSchema}.
 */
@NullMarked
package io.retrysafe.store.jdbc;

import org.jspecify.annotations.NullMarked;
