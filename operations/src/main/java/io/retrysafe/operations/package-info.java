/**
 * What people do with recorded operations: find, explain, resolve and forget them, the same in the
 * gateway's admin API, on the command line and in an application. Start at {@link
 * io.retrysafe.operations.Operations}.
 */
@NullMarked
package io.retrysafe.operations;

import org.jspecify.annotations.NullMarked;
