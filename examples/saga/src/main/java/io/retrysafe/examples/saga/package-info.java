/**
 * An order that reserves stock, charges a card and ships. Start at {@link
 * io.retrysafe.examples.saga.Orders}; {@link io.retrysafe.examples.saga.Main} runs it.
 */
@NullMarked
package io.retrysafe.examples.saga;

import org.jspecify.annotations.NullMarked;
