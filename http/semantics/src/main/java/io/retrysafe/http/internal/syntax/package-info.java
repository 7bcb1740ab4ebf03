// SPDX-License-Identifier: Apache-2.0
/** The syntax of methods, paths, route matches, header fields and keys. */
@NullMarked
package io.retrysafe.http.internal.syntax;

import org.jspecify.annotations.NullMarked;
