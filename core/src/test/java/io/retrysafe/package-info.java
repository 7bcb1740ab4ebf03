@NullMarked
package io.retrysafe;

import org.jspecify.annotations.NullMarked;
