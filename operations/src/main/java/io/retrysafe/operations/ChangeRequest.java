// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.AuditNote;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What every change of an operation comes with.
 *
 * @param note who asks for the change, and why
 * @param fence the fence of the operation that the operator saw: if the operation has another one
 *     by now, the change is refused. Empty for the operation as it is now
 */
public record ChangeRequest(AuditNote note, OptionalLong fence) {
  /** The members that {@link #of} reads. */
  public static final Set<String> NAMES = Set.of("actor", "reason", "fence");

  /**
   * Reads the members {@code reason}, {@code actor} ("operator" by default) and {@code fence} of a
   * request, and ignores all others.
   *
   * @param caller who sends the request, where that is known; then {@code actor} does not count
   * @throws IllegalArgumentException if the reason is missing or a member is wrong
   */
  public static ChangeRequest of(Map<String, @Nullable Object> members, Optional<String> caller) {
    Members request = new Members(members, members.keySet());
    String actor = caller.or(() -> request.text("actor")).orElse("operator");
    AuditNote note = new AuditNote(actor, request.text("reason").orElse(""));
    return new ChangeRequest(
        note, request.number("fence").map(OptionalLong::of).orElse(OptionalLong.empty()));
  }
}
