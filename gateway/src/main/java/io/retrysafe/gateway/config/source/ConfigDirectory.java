// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The base of relative file names. Names in a configuration file are relative to its directory;
 * names in flags and the environment are relative to the working directory.
 */
record ConfigDirectory(Path ofFile) {

  /** Returns the path of a file, which need not exist. */
  Path path(ConfigValue value) {
    try {
      Path named = Path.of(value.text());
      return value.location().line() > 0 ? ofFile.resolve(named) : named;
    } catch (InvalidPathException e) {
      throw value.location().error("\"" + value + "\" is not the name of a file");
    }
  }

  Path file(ConfigValue value) {
    Path path = path(value);
    if (!Files.isReadable(path) || Files.isDirectory(path)) {
      throw value.location().error("the file " + path + " cannot be read");
    }
    return path;
  }

  /** Returns the file that a member of a map names. */
  Path file(ConfigValue.Members members, String name) {
    String unused = members.required(name);
    return file(members.values().getOrDefault(name, members));
  }
}
