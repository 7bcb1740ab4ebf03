/**
 * The engine behind {@link io.retrysafe.Retrysafe}. Not for applications; it may change in any
 * release.
 */
@NullMarked
package io.retrysafe.internal.engine;

import org.jspecify.annotations.NullMarked;
