// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import org.jspecify.annotations.Nullable;

/**
 * An operation of the application, declared once: its name, the codec of its result and its policy.
 * Immutable and thread-safe. Made by {@link Retrysafe#operation}.
 */
public final class DeclaredOperation<T extends @Nullable Object> {
  private final Retrysafe engine;
  private final String name;
  private final Codec<T> codec;
  private final Policy policy;

  DeclaredOperation(Retrysafe engine, String name, Codec<T> codec, Policy policy) {
    // A scope refuses the names that no call could use.
    this.name = Scope.of("account", name).endpoint();
    this.engine = engine;
    this.codec = codec;
    this.policy = policy;
    engine.check(policy);
  }

  /**
   * Returns this operation under another policy.
   *
   * @throws IllegalArgumentException if the store cannot keep what the policy promises
   */
  public DeclaredOperation<T> policy(Policy policy) {
    return new DeclaredOperation<>(engine, name, codec, policy);
  }

  public String name() {
    return name;
  }

  /** Returns the whole key of a call: {@code key} inside the scope of {@code account} and name. */
  public OperationKey key(String account, String key) {
    return OperationKey.of(Scope.of(account, name), key);
  }

  /**
   * Runs {@code work} once for this account and key, or returns what it returned before.
   *
   * @param account who asks: a tenant, merchant or user
   * @param key the caller's name for this call, such as an order number
   * @param fingerprint what makes two calls the same call; {@link Fingerprint#NONE} to compare
   *     nothing
   * @throws InProgressException if another caller is running it
   * @throws MismatchException if the key belongs to another call
   * @throws OperationFailedException if it failed before and the policy keeps failures
   * @throws OutcomeUnknownException if an earlier run was interrupted and may have had its effect
   * @throws StoreUnavailableException if the store does not answer in time; the exception says
   *     whether the work ran
   */
  public <X extends Exception> T run(
      String account, String key, Fingerprint fingerprint, Work<T, X> work) throws X {
    return engine.run(key(account, key), fingerprint, policy, codec, work);
  }

  /** Returns the decision for one call, for callers that end the operation themselves. */
  public Decision begin(String account, String key, Fingerprint fingerprint) {
    return engine.begin(key(account, key), fingerprint, policy);
  }

  @Override
  public String toString() {
    return "DeclaredOperation[" + name + ']';
  }
}
