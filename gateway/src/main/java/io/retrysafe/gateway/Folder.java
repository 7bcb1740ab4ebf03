// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Where relative names of files start: those in a configuration file beside it, those in flags and
 * the environment in the current folder.
 */
record Folder(Path ofFile) {

  /** Returns where a file is, or will be. */
  Path path(Value value) {
    try {
      Path named = Path.of(value.text());
      return value.place().line() > 0 ? ofFile.resolve(named) : named;
    } catch (InvalidPathException e) {
      throw value.place().error("\"" + value + "\" is not the name of a file");
    }
  }

  Path file(Value value) {
    Path path = path(value);
    if (!Files.isReadable(path) || Files.isDirectory(path)) {
      throw value.place().error("the file " + path + " cannot be read");
    }
    return path;
  }

  /** Returns the file that a member of a map names. */
  Path file(Value.Members members, String name) {
    String unused = members.required(name);
    return file(members.values().getOrDefault(name, members));
  }
}
