/**
 * The base of contract kits: numbered rules as tests, and tables of their results for documents. A
 * kit's test class is a {@link io.retrysafe.testkit.Contract}.
 */
@NullMarked
package io.retrysafe.testkit;

import org.jspecify.annotations.NullMarked;
