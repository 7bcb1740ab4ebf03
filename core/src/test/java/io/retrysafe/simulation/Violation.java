// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

/**
 * A property that a history broke.
 *
 * @param property which one: P1 to P15 as in docs/decisions/0003, S1 to S3 for steps
 * @param detail how
 */
record Violation(String property, String detail) {}
