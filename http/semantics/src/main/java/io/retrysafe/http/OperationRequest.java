// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;

/** The operation that a request asks for. */
record OperationRequest(OperationKey key, Fingerprint fingerprint) {}
