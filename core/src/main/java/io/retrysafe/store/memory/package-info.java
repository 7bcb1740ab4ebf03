/** The store in the memory of one process, for tests and development. */
@NullMarked
package io.retrysafe.store.memory;

import org.jspecify.annotations.NullMarked;
