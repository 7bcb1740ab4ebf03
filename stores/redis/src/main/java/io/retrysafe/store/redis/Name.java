// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.IntStream;

/**
 * Where an entry is: its key, such as <code>{retrysafe:a7}:</code> and 32 characters of the digest;
 * the index of unsettled entries that lies in the same slot of a cluster, such as <code>
 * {retrysafe:a7}:unsettled</code>; and its member there, the 32 characters.
 */
final class Name {
  /** How many indexes there are: entries are spread over as many slots. */
  static final int BUCKETS = 256;

  private static final int DIGEST = 24;
  private static final int MEMBER = 32;

  /** Formatted once, because every call needs one. */
  private static final String[] TAGS =
      IntStream.range(0, BUCKETS).mapToObj("%02x"::formatted).toArray(String[]::new);

  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  private final byte[] entry;
  private final byte[] index;
  private final byte[] member;

  private Name(byte[] entry, byte[] index, byte[] member) {
    this.entry = entry;
    this.index = index;
    this.member = member;
  }

  static Name of(String namespace, OperationKey key) {
    byte[] digest = key.digest();
    String member = TEXT.encodeToString(Arrays.copyOf(digest, DIGEST));
    return of(namespace, digest[digest.length - 1] & 0xff, member);
  }

  static Name of(String namespace, int bucket, String member) {
    String tag = tag(namespace, bucket);
    return new Name(ascii(tag + member), ascii(tag + "unsettled"), ascii(member));
  }

  /** Returns the bytes themselves, which nobody changes, as the other two do. */
  byte[] entry() {
    return entry;
  }

  byte[] index() {
    return index;
  }

  byte[] member() {
    return member;
  }

  /** Returns {@code namespace} if it can stand in keys and patterns as it is. */
  static String checked(String namespace) {
    if (!namespace.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "a namespace is 1 to 64 letters, digits, dots, hyphens and underscores, was \""
              + namespace
              + '"');
    }
    return namespace;
  }

  /** Returns whether a key of {@link #pattern} is an entry, not an index. */
  static boolean isEntry(byte[] key) {
    return key.length > MEMBER && key[key.length - MEMBER - 1] == ':';
  }

  /** Returns the name of an entry that was met under {@code key}. */
  static Name ofEntry(byte[] key) {
    int from = key.length - MEMBER;
    String tag = new String(key, 0, from, StandardCharsets.US_ASCII);
    return new Name(key, ascii(tag + "unsettled"), Arrays.copyOfRange(key, from, key.length));
  }

  static byte[] index(String namespace, int bucket) {
    return ascii(tag(namespace, bucket) + "unsettled");
  }

  /**
   * Returns where operators' actions are; it is no entry, and {@link #pattern} does not meet it.
   */
  static byte[] audit(String namespace) {
    return ascii("{" + namespace + ":audit}");
  }

  /** Returns where secrets are: a hash, which {@link #pattern} does not meet either. */
  static byte[] secrets(String namespace) {
    return ascii("{" + namespace + ":secrets}");
  }

  /** Returns what all keys of a namespace look like. */
  static byte[] pattern(String namespace) {
    return ascii("{" + namespace + ":??}:*");
  }

  private static String tag(String namespace, int bucket) {
    return "{" + namespace + ':' + TAGS[bucket] + "}:";
  }

  static String text(byte[] ascii) {
    return new String(ascii, StandardCharsets.US_ASCII);
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
