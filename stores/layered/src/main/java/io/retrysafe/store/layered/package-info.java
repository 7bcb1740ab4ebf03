/**
 * Near copies of settled answers in front of a store of record. Start at {@link
 * io.retrysafe.store.layered.LayeredStore}.
 */
@NullMarked
package io.retrysafe.store.layered;

import org.jspecify.annotations.NullMarked;
