/**
 * Makes operations safe to retry. Start at {@link io.retrysafe.Retrysafe}; the words it speaks are
 * {@link io.retrysafe.OperationKey}, {@link io.retrysafe.Fingerprint}, {@link io.retrysafe.Policy}
 * and {@link io.retrysafe.Outcome}.
 */
@NullMarked
package io.retrysafe;

import org.jspecify.annotations.NullMarked;
