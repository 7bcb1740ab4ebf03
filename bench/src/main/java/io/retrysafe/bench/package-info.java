/**
 * Benchmarks and the load driver that they share. It starts at {@code Main}; a benchmark is a
 * {@code Benchmark}, listed there.
 */
@NullMarked
package io.retrysafe.bench;

import org.jspecify.annotations.NullMarked;
