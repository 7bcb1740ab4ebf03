/**
 * The executable store contract. A store's test extends {@link
 * io.retrysafe.store.testkit.StoreContract} and gives it a {@link
 * io.retrysafe.store.testkit.StoreFixture}; the rules are in {@code docs/store-contract.md}.
 */
@NullMarked
package io.retrysafe.store.testkit;

import org.jspecify.annotations.NullMarked;
