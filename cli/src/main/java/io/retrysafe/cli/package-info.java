/** The {@code retrysafe} command. It starts at {@code Main}; every verb is a class of its own. */
@NullMarked
package io.retrysafe.cli;

import org.jspecify.annotations.NullMarked;
