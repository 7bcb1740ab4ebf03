/**
 * Helpers that the stores of this project share. Not for applications; it may change in any
 * release.
 */
@NullMarked
package io.retrysafe.internal.store;

import org.jspecify.annotations.NullMarked;
