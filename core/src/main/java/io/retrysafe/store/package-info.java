/**
 * What a store has to do. Start at {@link io.retrysafe.store.Store}; its rules are numbered in
 * {@code docs/store-contract.md} and executable in the module {@code retrysafe-store-testkit}.
 */
@NullMarked
package io.retrysafe.store;

import org.jspecify.annotations.NullMarked;
