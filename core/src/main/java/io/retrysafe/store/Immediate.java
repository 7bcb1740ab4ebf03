// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

/**
 * A store whose calls wait for nothing outside this JVM and take microseconds, so that event loops
 * may call it themselves.
 */
public interface Immediate {}
