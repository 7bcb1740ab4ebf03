// SPDX-License-Identifier: Apache-2.0
/**
 * Who calls: {@link io.retrysafe.gateway.account.AccountResolver} derives the account of a request
 * from its headers.
 */
@NullMarked
package io.retrysafe.gateway.account;

import org.jspecify.annotations.NullMarked;
