@NullMarked
package io.retrysafe.internal.engine;

import org.jspecify.annotations.NullMarked;
