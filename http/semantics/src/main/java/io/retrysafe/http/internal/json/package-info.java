// SPDX-License-Identifier: Apache-2.0
/** Canonical JSON, for fingerprints and natural keys. */
@NullMarked
package io.retrysafe.http.internal.json;

import org.jspecify.annotations.NullMarked;
