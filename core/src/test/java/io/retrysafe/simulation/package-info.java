// SPDX-License-Identifier: Apache-2.0
/**
 * A deterministic simulator that tries to break the engine. {@link
 * io.retrysafe.simulation.SimulatorTest} runs it; {@link io.retrysafe.simulation.Run} is one
 * history.
 */
@NullMarked
package io.retrysafe.simulation;

import org.jspecify.annotations.NullMarked;
