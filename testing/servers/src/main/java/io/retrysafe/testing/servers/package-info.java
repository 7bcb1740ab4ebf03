/**
 * Real servers for tests and benchmarks, started from artifacts on loopback ports. Start at {@link
 * io.retrysafe.testing.servers.PostgresServer}.
 */
@NullMarked
package io.retrysafe.testing.servers;

import org.jspecify.annotations.NullMarked;
