// SPDX-License-Identifier: Apache-2.0
/** Tests on real applications. */
@NullMarked
package io.retrysafe.spring;

import org.jspecify.annotations.NullMarked;
