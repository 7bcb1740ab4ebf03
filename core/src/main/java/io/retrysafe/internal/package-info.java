/**
 * Text forms that all modules of this project share: JSON, durations and sizes. Not for
 * applications; it may change in any release.
 */
@NullMarked
package io.retrysafe.internal;

import org.jspecify.annotations.NullMarked;
