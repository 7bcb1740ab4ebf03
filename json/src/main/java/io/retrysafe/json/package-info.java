/** Codecs for results as JSON. Start at {@link io.retrysafe.json.JsonCodec}. */
@NullMarked
package io.retrysafe.json;

import org.jspecify.annotations.NullMarked;
