// SPDX-License-Identifier: Apache-2.0
/**
 * Reads the configuration of a gateway from flags, environment variables and YAML files. {@link
 * io.retrysafe.gateway.config.source.ConfigSource} is the entry point.
 */
@NullMarked
package io.retrysafe.gateway.config.source;

import org.jspecify.annotations.NullMarked;
