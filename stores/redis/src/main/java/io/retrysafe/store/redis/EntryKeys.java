// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.IntStream;

/**
 * The Redis keys of an entry: the entry itself, <code>{retrysafe:a7}:</code> and 32 characters of
 * the digest; the index of unsettled entries in the same cluster slot, <code>
 * {retrysafe:a7}:unsettled</code>; and its member in that index, the 32 characters. The arrays are
 * shared and must not be changed.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntryKeys(byte[] entry, byte[] index, byte[] member) {
  /** How many indexes there are. Entries are spread over as many slots. */
  static final int BUCKETS = 256;

  private static final int DIGEST_BYTES = 24;
  private static final int MEMBER_CHARACTERS = 32;

  /** Formatted once, because every call needs one. */
  private static final String[] TAGS =
      IntStream.range(0, BUCKETS).mapToObj("%02x"::formatted).toArray(String[]::new);

  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  static EntryKeys of(String namespace, OperationKey key) {
    byte[] digest = key.digest();
    String member = TEXT.encodeToString(Arrays.copyOf(digest, DIGEST_BYTES));
    return of(namespace, digest[digest.length - 1] & 0xff, member);
  }

  static EntryKeys of(String namespace, int bucket, String member) {
    return of(prefix(namespace, bucket), member);
  }

  /** Returns the keys of the entry that a scan found under {@code key}. */
  static EntryKeys ofEntry(byte[] key) {
    String text = text(key);
    int end = text.length() - MEMBER_CHARACTERS;
    return of(text.substring(0, end), text.substring(end));
  }

  private static EntryKeys of(String prefix, String member) {
    return new EntryKeys(ascii(prefix + member), ascii(prefix + "unsettled"), ascii(member));
  }

  private static String prefix(String namespace, int bucket) {
    return "{" + namespace + ':' + TAGS[bucket] + "}:";
  }

  /** Returns {@code namespace} if it can be part of keys and patterns unchanged. */
  static String checked(String namespace) {
    if (!namespace.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "namespace must be 1 to 64 letters, digits, dots, hyphens and underscores, was \""
              + namespace
              + '"');
    }
    return namespace;
  }

  static byte[] index(String namespace, int bucket) {
    return ascii(prefix(namespace, bucket) + "unsettled");
  }

  /** Returns the key of the audit log. {@link #pattern} does not match it. */
  static byte[] audit(String namespace) {
    return ascii("{" + namespace + ":audit}");
  }

  /** Returns the key of the hash of secrets. {@link #pattern} does not match it. */
  static byte[] secrets(String namespace) {
    return ascii("{" + namespace + ":secrets}");
  }

  /** Returns the pattern of the keys of all entries and indexes. */
  static byte[] pattern(String namespace) {
    return ascii("{" + namespace + ":??}:*");
  }

  /** Returns whether a key that {@link #pattern} matches is an entry, not an index. */
  static boolean isEntry(byte[] key) {
    return key.length > MEMBER_CHARACTERS && key[key.length - MEMBER_CHARACTERS - 1] == ':';
  }

  static String text(byte[] ascii) {
    return new String(ascii, StandardCharsets.US_ASCII);
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
