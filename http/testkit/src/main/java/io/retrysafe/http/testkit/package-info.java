/**
 * The HTTP contract as tests over real sockets. An adapter's test extends {@link
 * io.retrysafe.http.testkit.HttpContract}.
 */
@NullMarked
package io.retrysafe.http.testkit;

import org.jspecify.annotations.NullMarked;
