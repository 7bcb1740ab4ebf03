// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Scope;
import io.retrysafe.http.internal.digest.FramedDigest;
import io.retrysafe.http.internal.syntax.HttpMethods;
import io.retrysafe.http.internal.syntax.KeyField;
import io.retrysafe.http.internal.syntax.KeyTimestamp;
import io.retrysafe.http.internal.syntax.RequestPaths;
import io.retrysafe.http.settings.Anonymous;
import io.retrysafe.http.settings.ExpiredKeys;
import io.retrysafe.http.settings.KeyFormat;
import io.retrysafe.http.settings.KeyRule;
import io.retrysafe.http.settings.Settings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Makes plans from the heads of requests: whether they need a key, have one, and in which scope.
 */
final class RequestPlanner {
  private static final int LONGEST_PART = 1000;
  private static final String DIGEST = "sha256:";

  private final InstantSource clock;

  RequestPlanner(InstantSource clock) {
    this.clock = clock;
  }

  Plan plan(RequestHead head, Route route) {
    HttpPolicy policy = route.policy();
    if (HttpMethods.isMisspelt(head.method())) {
      return refused(route, ProblemType.METHOD_INVALID, methodInvalid(head.method()));
    }
    KeyRule.Need need = policy.get(Settings.KEY).need(head.method());
    if (HttpMethods.SAFE.contains(head.method()) || need == KeyRule.Need.NONE) {
      return new Plan.PassThrough();
    }
    String key = null;
    if (route.naturalKey().isEmpty()) {
      List<String> lines = Headers.all(head.headers(), policy.get(Settings.KEY_HEADER));
      if (lines.isEmpty()) {
        return need == KeyRule.Need.OPTIONAL ? new Plan.PassThrough() : keyMissing(route);
      }
      try {
        key = key(lines, policy);
      } catch (KeyField.InvalidException e) {
        return refused(route, ProblemType.KEY_INVALID, sentence(e));
      }
      if (isExpired(key, policy)) {
        return refused(
            route,
            ProblemType.KEY_EXPIRED,
            "The key is older than "
                + policy.get(Settings.RETENTION)
                + ": its operation may be done and forgotten. Find out before you use a new key.");
      }
    }
    return guarded(head, route, key);
  }

  private static Plan guarded(RequestHead head, Route route, @Nullable String key) {
    HttpPolicy policy = route.policy();
    boolean isAnonymous = head.account() == null || head.account().isBlank();
    if (isAnonymous && policy.get(Settings.ANONYMOUS) == Anonymous.REFUSE) {
      return refused(
          route,
          ProblemType.ACCOUNT_MISSING,
          "A key is only safe inside an account, and this caller has no identity here.");
    }
    boolean isTooLarge =
        Headers.first(head.headers(), "Content-Length")
            .filter(RequestPlanner::isNumber)
            .filter(length -> Long.parseLong(length) > policy.get(Settings.BODY_LIMIT))
            .isPresent();
    return isTooLarge
        ? new Plan.Refused(route.answers().tooLarge())
        : new Plan.ReadBody(route, head, scope(head, isAnonymous), key);
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty()
        && text.length() <= 18
        && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static String key(List<String> lines, HttpPolicy policy)
      throws KeyField.InvalidException {
    String key = KeyField.parse(lines);
    KeyFormat format = policy.get(Settings.KEY_FORMAT);
    if (!format.fits(key)) {
      throw new KeyField.InvalidException("the key must be in format " + format);
    }
    return key;
  }

  private boolean isExpired(String key, HttpPolicy policy) {
    if (policy.get(Settings.EXPIRED_KEYS) == ExpiredKeys.RUN) {
      return false;
    }
    Instant oldest = clock.instant().minus(policy.get(Settings.RETENTION));
    return KeyTimestamp.of(key).filter(made -> made.isBefore(oldest)).isPresent();
  }

  /**
   * Account, method and path, and the API version where there is one. The shared account of those
   * without identity has a part more, where no account has a method: no account can have that name.
   */
  private static Scope scope(RequestHead head, boolean isAnonymous) {
    List<String> parts = new ArrayList<>();
    if (isAnonymous || head.account() == null) {
      parts.add("anonymous");
      parts.add("shared");
    } else {
      parts.add(part(head.account()));
    }
    parts.add(part(head.method()));
    parts.add(part(RequestPaths.normalised(head.path())));
    if (head.version() != null && !head.version().isBlank()) {
      parts.add(part(head.version()));
    }
    return new Scope(parts);
  }

  /** Names by its digest what would not fit into a scope, or could be taken for a digest. */
  private static String part(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    boolean fits =
        bytes.length <= LONGEST_PART
            && !text.startsWith(DIGEST)
            && text.chars().noneMatch(Character::isISOControl)
            && new String(bytes, StandardCharsets.UTF_8).equals(text);
    return fits
        ? text
        : DIGEST + HexFormat.of().formatHex(FramedDigest.sha256().digest(utf16(text)));
  }

  /** Takes the characters as they are: an encoder would make all lone surrogates alike. */
  private static byte[] utf16(String text) {
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * Character.BYTES);
    bytes.asCharBuffer().put(text);
    return bytes.array();
  }

  private static Plan keyMissing(Route route) {
    return refused(
        route,
        ProblemType.KEY_MISSING,
        "Send the header "
            + route.policy().get(Settings.KEY_HEADER)
            + " with a key of your own, the same for every retry of this request.");
  }

  static String methodInvalid(String method) {
    return "Methods are case-sensitive: send "
        + HttpMethods.known(method)
        + ", not "
        + method
        + ".";
  }

  private static Plan refused(Route route, ProblemType type, String detail) {
    return new Plan.Refused(route.answers().of(type, detail));
  }

  static String sentence(Exception e) {
    String message = String.valueOf(e.getMessage());
    return message.substring(0, 1).toUpperCase(Locale.ROOT) + message.substring(1) + ".";
  }
}
