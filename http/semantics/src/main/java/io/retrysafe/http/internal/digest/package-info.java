// SPDX-License-Identifier: Apache-2.0
/** Digests of requests and of multipart bodies. */
@NullMarked
package io.retrysafe.http.internal.digest;

import org.jspecify.annotations.NullMarked;
