/** Guards a servlet application's routes with {@link io.retrysafe.http.servlet.RetrysafeFilter}. */
@NullMarked
package io.retrysafe.http.servlet;

import org.jspecify.annotations.NullMarked;
