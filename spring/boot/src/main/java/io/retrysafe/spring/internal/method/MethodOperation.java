// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Scope;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * An annotated method, prepared.
 *
 * @param method the method
 * @param name what its operations are called
 * @param expressions what key, account and fingerprint are made from
 * @param policy how they are run
 * @param isJoined whether work and answer are one transaction
 * @param results how its results and arguments become bytes
 */
record MethodOperation(
    Method method,
    String name,
    MethodExpressions expressions,
    Policy policy,
    boolean isJoined,
    ValueCodec results) {

  OperationKey key(Object target, @Nullable Object[] arguments, @Nullable String caller) {
    String account = expressions.account(target, arguments, caller);
    // The application itself has a part more, so that no caller can be named so.
    Scope scope =
        account == null ? Scope.of("application", "itself", name) : Scope.of(account, name);
    return OperationKey.of(scope, expressions.key(target, arguments));
  }

  Fingerprint fingerprint(Object target, @Nullable Object[] arguments) {
    return expressions.hasFingerprint()
        ? results.fingerprint(expressions.fingerprint(target, arguments))
        : results.fingerprint(arguments);
  }

  Codec<@Nullable Object> codec() {
    return results.codec();
  }
}
