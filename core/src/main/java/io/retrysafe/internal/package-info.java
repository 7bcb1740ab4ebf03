/**
 * Text forms and checks that all modules of this project share: JSON, durations, sizes, Unicode.
 * Not for applications; it may change in any release.
 */
@NullMarked
package io.retrysafe.internal;

import org.jspecify.annotations.NullMarked;
