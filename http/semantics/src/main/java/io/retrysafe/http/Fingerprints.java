// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.http.JsonParser.MalformedException;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes the fingerprints of a route's requests: SHA-256 over method, path with query, content type
 * and coding, chosen headers, and the body as the rule has it. Every part has its length before it.
 *
 * <p>The recipe names the rule, its version and, where there are choices, a digest of them, so that
 * requests from before a change of settings are not mistaken for other requests.
 */
final class Fingerprints {
  private final FingerprintRule rule;
  private final List<String> headers;
  private final String choices;

  Fingerprints(FingerprintRule rule, List<String> headers) {
    this.rule = rule;
    this.headers =
        headers.stream().map(name -> name.toLowerCase(Locale.ROOT)).distinct().sorted().toList();
    this.choices = choices(rule.pointers(), this.headers);
  }

  private static String choices(List<JsonPointer> pointers, List<String> headers) {
    if (pointers.isEmpty() && headers.isEmpty()) {
      return "";
    }
    Digests digest = new Digests().addCount(pointers.size());
    pointers.forEach(pointer -> digest.add(pointer.text()));
    headers.forEach(digest::add);
    return "-" + HexFormat.of().formatHex(digest.digest().toArray(), 0, 4);
  }

  /**
   * Returns the fingerprint of a request. JSON rules are for JSON bodies: of others, and of encoded
   * ones, every byte counts.
   *
   * @throws MalformedException if the body has to be read as JSON and is not
   */
  Fingerprint of(RequestHead head, RequestBody body) throws MalformedException, IOException {
    if (rule.kind() == FingerprintRule.Kind.NONE) {
      return Fingerprint.NONE;
    }
    Json json = rule.kind() == FingerprintRule.Kind.RAW ? null : json(head, body);
    String kind = json == null ? "raw" : Reading.word(rule.kind());
    Digests digest = new Digests().add(head.method()).add(Paths.normalised(head.path()));
    optional(digest, head.query());
    String type = Headers.first(head.headers(), "Content-Type").orElse("");
    Optional<Bytes> parts = parts(json, type, body);
    // Two spellings of "JSON" are not two requests where the members count.
    digest.add(
        json != null ? "json" : parts.isPresent() ? Multipart.withoutBoundary(type) : type.strip());
    optional(digest, Headers.first(head.headers(), "Content-Encoding").orElse(null));
    for (String name : headers) {
      List<String> lines = Headers.all(head.headers(), name);
      digest.addCount(lines.size());
      lines.forEach(digest::add);
    }
    if (json == null) {
      digest.add(parts.orElse(body.sha256()).toArray());
    } else if (rule.kind() == FingerprintRule.Kind.JSON) {
      digest.add(json.canonical());
    } else {
      for (JsonPointer pointer : rule.pointers()) {
        Json found = pointer.find(json);
        optional(digest, found == null ? null : found.canonical());
      }
    }
    return new Fingerprint(kind + "-1" + choices, digest.digest());
  }

  private static Optional<Bytes> parts(@Nullable Json json, String type, RequestBody body)
      throws IOException {
    Optional<String> boundary = json == null ? Multipart.boundary(type) : Optional.empty();
    return boundary.isPresent() ? Multipart.digest(body, boundary.get()) : Optional.empty();
  }

  private static void optional(Digests digest, @Nullable String part) {
    if (part == null) {
      digest.addAbsent();
    } else {
      digest.add(part);
    }
  }

  /** Returns the body as JSON; null if it does not claim to be. */
  static @Nullable Json json(RequestHead head, RequestBody body)
      throws MalformedException, IOException {
    String type = Headers.mediaType(head.headers());
    boolean isJson = type.equals("application/json") || type.endsWith("+json");
    boolean isPlain =
        Headers.tokens(head.headers(), "Content-Encoding").stream()
            .allMatch(coding -> coding.equals("identity"));
    if (!isJson || !isPlain || body.size() == 0) {
      return null;
    }
    try (InputStream in = body.open()) {
      return JsonParser.parse(in.readAllBytes());
    }
  }
}
