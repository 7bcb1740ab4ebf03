/**
 * Opens stores from addresses such as {@code redis://localhost} or {@code sqlite:/var/lib/app.db}.
 * Start at {@link io.retrysafe.store.url.OpenStore}.
 */
@NullMarked
package io.retrysafe.store.url;

import org.jspecify.annotations.NullMarked;
