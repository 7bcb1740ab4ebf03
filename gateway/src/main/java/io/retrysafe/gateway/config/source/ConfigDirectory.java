// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Where relative names of files start: those in a configuration file beside it, those in flags and
 * the environment in the current folder.
 */
record ConfigDirectory(Path ofFile) {

  /** Returns where a file is, or will be. */
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
