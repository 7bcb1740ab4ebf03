/**
 * Finds, explains, resolves and forgets recorded operations: for the gateway's admin API, the
 * command line and applications alike. Start at {@link io.retrysafe.operations.Operations}.
 */
@NullMarked
package io.retrysafe.operations;

import org.jspecify.annotations.NullMarked;
