// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The answer that retries of an operation get. Headers that may carry credentials are masked.
 *
 * @param id the operation
 * @param status its status, 0 if it has none
 * @param headers its named strings
 * @param body its bytes
 */
public record KeptAnswer(OperationId id, int status, List<Attribute> headers, Bytes body)
    implements Result {
  private static final String MASK = "(masked)";
  private static final Pattern SECRET =
      Pattern.compile("auth|cookie|token|secret|session|password|credential|signature|api-?key");

  static KeptAnswer of(OperationId id, Outcome outcome) {
    List<Attribute> headers =
        outcome.attributes().stream()
            .filter(each -> !each.isOwn())
            .map(KeptAnswer::masked)
            .toList();
    return new KeptAnswer(id, outcome.status(), headers, outcome.body());
  }

  private static Attribute masked(Attribute header) {
    boolean isSecret = SECRET.matcher(header.name().toLowerCase(Locale.ROOT)).find();
    return isSecret ? new Attribute(header.name(), MASK) : header;
  }

  /** Returns the body if it is text. */
  private Optional<String> bodyText() {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body.toArray())).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id.toString());
    map.put("status", status);
    map.put("headers", headers.stream().map(each -> header(each)).toList());
    map.put("size", body.size());
    bodyText()
        .ifPresentOrElse(
            text -> map.put("body", text),
            () -> map.put("body_base64", Base64.getEncoder().encodeToString(body.toArray())));
    return map;
  }

  private static Map<String, Object> header(Attribute header) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", header.name());
    map.put("value", header.value());
    return map;
  }

  @Override
  public String text() {
    StringBuilder out = new StringBuilder("status " + status + "\n");
    headers.forEach(
        each -> out.append(plain(each.name() + ": " + each.value(), false)).append('\n'));
    out.append('\n');
    out.append(
        bodyText()
            .map(text -> plain(text, true))
            .orElse("(" + body.size() + " bytes that are not text; --json prints them in Base64)"));
    return out.append(out.charAt(out.length() - 1) == '\n' ? "" : "\n").toString();
  }

  /** Escapes control characters, which must not reach a terminal. */
  private static String plain(String text, boolean hasLines) {
    StringBuilder out = new StringBuilder();
    text.chars()
        .forEach(
            c -> {
              boolean isLayout = hasLines && (c == '\n' || c == '\t' || c == '\r');
              out.append(
                  Character.isISOControl(c) && !isLayout
                      ? "\\u%04x".formatted(c)
                      : String.valueOf((char) c));
            });
    return out.toString();
  }
}
