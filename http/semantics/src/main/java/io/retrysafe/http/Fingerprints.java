// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.http.body.BodyMemory;
import io.retrysafe.http.body.RequestBody;
import io.retrysafe.http.internal.digest.FramedDigest;
import io.retrysafe.http.internal.digest.MultipartDigest;
import io.retrysafe.http.internal.json.CanonicalJson;
import io.retrysafe.http.internal.json.JsonPointer;
import io.retrysafe.http.internal.json.MalformedJsonException;
import io.retrysafe.http.settings.FingerprintRule;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes the fingerprints of a route's requests: SHA-256 over method, the target as sent, content
 * type and coding, chosen headers, and the body as the rule has it. Every part has its length
 * before it.
 *
 * <p>The target counts as sent, matrix parameters and query included, also where nothing else does:
 * a scope is made from the normalised path, so two targets that a service reads differently may
 * share a scope, and must not share an answer.
 *
 * <p>The recipe names the rule, its version and, where there are choices, a digest of them, so that
 * requests from before a change of settings are not mistaken for other requests.
 */
final class Fingerprints {
  private static final String VERSION = "-2";

  private final FingerprintRule rule;
  private final List<JsonPointer> pointers;
  private final List<String> headers;
  private final String choices;

  Fingerprints(FingerprintRule rule, List<String> headers) {
    this.rule = rule;
    this.pointers =
        rule.kind() == FingerprintRule.Kind.JSON
            ? List.of(JsonPointer.ROOT)
            : rule.pointers().stream().map(JsonPointer::parse).toList();
    this.headers =
        headers.stream().map(name -> name.toLowerCase(Locale.ROOT)).distinct().sorted().toList();
    this.choices = choices(rule.pointers(), this.headers);
  }

  private static String choices(List<String> pointers, List<String> headers) {
    if (pointers.isEmpty() && headers.isEmpty()) {
      return "";
    }
    FramedDigest digest = new FramedDigest().addCount(pointers.size());
    pointers.forEach(digest::add);
    headers.forEach(digest::add);
    return "-" + HexFormat.of().formatHex(digest.digest().toArray(), 0, 4);
  }

  /**
   * Returns the fingerprint of a request. JSON rules are for JSON bodies: of others, and of encoded
   * ones, every byte counts.
   *
   * @throws MalformedJsonException if the body has to be read as JSON and is not
   */
  Fingerprint of(RequestHead head, RequestBody body, BodyMemory memory)
      throws MalformedJsonException, IOException {
    FramedDigest digest = new FramedDigest().add(head.method()).add(head.path());
    optional(digest, head.query());
    if (rule.kind() == FingerprintRule.Kind.NONE) {
      return new Fingerprint("none" + VERSION, digest.digest());
    }
    boolean isJson = rule.kind() != FingerprintRule.Kind.RAW && isJson(head, body);
    String type = Headers.first(head.headers(), "Content-Type").orElse("");
    Optional<Bytes> parts = isJson ? Optional.empty() : parts(type, body);
    // Two spellings of "JSON" are not two requests where the members count.
    digest.add(
        isJson ? "json" : parts.isPresent() ? MultipartDigest.withoutBoundary(type) : type.strip());
    optional(digest, Headers.first(head.headers(), "Content-Encoding").orElse(null));
    for (String name : headers) {
      List<String> lines = Headers.all(head.headers(), name);
      digest.addCount(lines.size());
      lines.forEach(digest::add);
    }
    if (isJson) {
      try (InputStream in = body.open()) {
        CanonicalJson.tokens(in, pointers, memory).forEach(digest::addOptional);
      }
    } else {
      digest.add(parts.orElse(body.sha256()).toArray());
    }
    String kind = isJson ? rule.kind().name().toLowerCase(Locale.ROOT) : "raw";
    return new Fingerprint(kind + VERSION + choices, digest.digest());
  }

  private static Optional<Bytes> parts(String type, RequestBody body) throws IOException {
    Optional<String> boundary = MultipartDigest.boundary(type);
    return boundary.isPresent()
        ? MultipartDigest.digest(body.open(), boundary.get())
        : Optional.empty();
  }

  private static void optional(FramedDigest digest, @Nullable String part) {
    if (part == null) {
      digest.addAbsent();
    } else {
      digest.add(part);
    }
  }

  /** Returns whether a body claims to be JSON, and is not encoded otherwise. */
  static boolean isJson(RequestHead head, RequestBody body) {
    String type = Headers.mediaType(head.headers());
    return (type.equals("application/json") || type.endsWith("+json"))
        && body.size() > 0
        && Headers.tokens(head.headers(), "Content-Encoding").stream()
            .allMatch(coding -> coding.equals("identity"));
  }
}
