// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.retrysafe.gateway.config.TrustedProxies;
import java.util.Set;

/**
 * The rules of a configuration for the header fields of requests.
 *
 * @param proxies the proxies whose forwarding headers are trusted
 * @param ownFields normalised names of the fields that carry keys and accounts
 */
public record FieldRules(TrustedProxies proxies, Set<String> ownFields) {}
