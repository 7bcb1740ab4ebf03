// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The places of a JSON text whose tokens are wanted, and the tokens that were found there. */
final class JsonPointerMatcher {
  private final Here nowhere = new Here(0, new int[0]);
  private final List<Path> paths;
  private final List<byte @Nullable []> found = new ArrayList<>();

  JsonPointerMatcher(List<JsonPointer> pointers) {
    this.paths = pointers.stream().map(Path::new).toList();
    paths.forEach(path -> found.add(null));
  }

  /** The steps of a pointer as they are met: tokens of names, and indexes or -1. */
  private static final class Path {
    private final List<byte[]> names;
    private final int[] indexes;

    Path(JsonPointer pointer) {
      this.names = pointer.steps().stream().map(CanonicalJson::tokenOf).toList();
      this.indexes = pointer.steps().stream().mapToInt(Path::index).toArray();
    }

    private static int index(String step) {
      return step.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(step) : -1;
    }

    int length() {
      return indexes.length;
    }
  }

  /** Returns the tokens in the order of the pointers; null where there is nothing. */
  List<byte @Nullable []> found() {
    return found;
  }

  Here root() {
    int[] all = new int[paths.size()];
    Arrays.setAll(all, i -> i);
    return new Here(0, all);
  }

  /** A value, and the pointers that lead to it or through it. */
  final class Here {
    private final int depth;
    private final int[] leading;

    private Here(int depth, int[] leading) {
      this.depth = depth;
      this.leading = leading;
    }

    boolean isWanted() {
      for (int path : leading) {
        if (paths.get(path).length() == depth) {
          return true;
        }
      }
      return false;
    }

    void found(byte[] token) {
      for (int path : leading) {
        if (paths.get(path).length() == depth) {
          found.set(path, token);
        }
      }
    }

    Here member(byte[] name) {
      int[] next = new int[leading.length];
      int count = 0;
      for (int path : leading) {
        List<byte[]> names = paths.get(path).names;
        if (names.size() > depth && Arrays.equals(names.get(depth), name)) {
          next[count++] = path;
        }
      }
      return next(next, count);
    }

    Here element(int index) {
      int[] next = new int[leading.length];
      int count = 0;
      for (int path : leading) {
        int[] indexes = paths.get(path).indexes;
        if (indexes.length > depth && indexes[depth] == index) {
          next[count++] = path;
        }
      }
      return next(next, count);
    }

    private Here next(int[] next, int count) {
      return count == 0 ? nowhere : new Here(depth + 1, Arrays.copyOf(next, count));
    }
  }
}
