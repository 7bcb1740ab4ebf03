// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.Executor;

/**
 * An event loop that begins and ends operations, and must not be held while the store is asked.
 *
 * @param itself where what follows an answer is done; it takes microseconds
 * @param blocking where anything is done that may wait
 */
public record EventLoop(Executor itself, Executor blocking) {}
