// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.io.File;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The disk of a process, as its option {@link #OPTION} makes it. Request bodies cannot be closed
 * while a file {@link #FULL} lies beside them, which is when network disks say that they are full;
 * they cannot be read while a file {@link #DAMAGED} does.
 */
public final class FaultyDisk extends FileSystemProvider {
  static final String OPTION =
      "-Djava.nio.file.spi.DefaultFileSystemProvider=" + FaultyDisk.class.getName();
  static final String FULL = "full";
  static final String DAMAGED = "damaged";

  private final FileSystemProvider inner;
  private final Disk disk;

  /** Called by the virtual machine, with the provider that it would have without the option. */
  public FaultyDisk(FileSystemProvider inner) {
    this.inner = inner;
    this.disk = new Disk(inner.getFileSystem(URI.create("file:///")));
  }

  @Override
  public OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
    Path file = unwrapped(path);
    OutputStream out = inner.newOutputStream(file, options);
    if (!isBodyBeside(FULL, file)) {
      return out;
    }
    return new FilterOutputStream(out) {
      @Override
      public void write(byte[] bytes, int offset, int count) throws IOException {
        out.write(bytes, offset, count);
      }

      @Override
      public void close() throws IOException {
        out.close();
        throw new IOException("No space left on device");
      }
    };
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return inner.newByteChannel(readable(path, options), options, attributes);
  }

  @Override
  public AsynchronousFileChannel newAsynchronousFileChannel(
      Path path,
      Set<? extends OpenOption> options,
      ExecutorService executor,
      FileAttribute<?>... attributes)
      throws IOException {
    return inner.newAsynchronousFileChannel(readable(path, options), options, executor, attributes);
  }

  private static Path readable(Path path, Set<? extends OpenOption> options) throws IOException {
    Path file = unwrapped(path);
    if (!options.contains(StandardOpenOption.WRITE) && isBodyBeside(DAMAGED, file)) {
      throw new IOException("Input/output error");
    }
    return file;
  }

  private static boolean isBodyBeside(String sign, Path file) {
    return String.valueOf(file.getFileName()).startsWith("retrysafe-body")
        && Files.exists(file.resolveSibling(sign));
  }

  /** A path whose files are on this disk: everything else it is asked the path inside answers. */
  private record Wrapped(Disk disk, Path inside) implements InvocationHandler {
    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getName().equals("getFileSystem")) {
        return disk;
      }
      if (method.getName().equals("toFile")) {
        return new File(inside.toString());
      }
      Object[] plain = arguments == null ? new Object[0] : arguments.clone();
      for (int i = 0; i < plain.length; i++) {
        plain[i] = plain[i] instanceof Path path ? unwrapped(path) : plain[i];
      }
      try {
        Object result = method.invoke(inside, plain);
        return result instanceof Path path ? disk.wrapped(path) : result;
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  private static Path unwrapped(Path path) {
    return Proxy.isProxyClass(path.getClass())
            && Proxy.getInvocationHandler(path) instanceof Wrapped wrapped
        ? wrapped.inside()
        : path;
  }

  private final class Disk extends FileSystem {
    private final FileSystem all;

    Disk(FileSystem all) {
      this.all = all;
    }

    Path wrapped(Path path) {
      return (Path)
          Proxy.newProxyInstance(
              FaultyDisk.class.getClassLoader(),
              new Class<?>[] {Path.class},
              new Wrapped(this, path));
    }

    @Override
    public Path getPath(String first, String... more) {
      return wrapped(all.getPath(first, more));
    }

    @Override
    public FileSystemProvider provider() {
      return FaultyDisk.this;
    }

    @Override
    public void close() throws IOException {
      all.close();
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public boolean isReadOnly() {
      return false;
    }

    @Override
    public String getSeparator() {
      return all.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
      return all.getRootDirectories();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
      return all.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
      return all.supportedFileAttributeViews();
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
      PathMatcher matcher = all.getPathMatcher(pattern);
      return path -> matcher.matches(unwrapped(path));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
      return all.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() throws IOException {
      return all.newWatchService();
    }
  }

  // As without the option

  @Override
  public String getScheme() {
    return inner.getScheme();
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
    return inner.newFileSystem(uri, environment);
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return disk;
  }

  @Override
  public Path getPath(URI uri) {
    return disk.wrapped(inner.getPath(uri));
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return inner.newFileChannel(unwrapped(path), options, attributes);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path folder, DirectoryStream.Filter<? super Path> filter) throws IOException {
    return inner.newDirectoryStream(unwrapped(folder), filter);
  }

  @Override
  public void createDirectory(Path folder, FileAttribute<?>... attributes) throws IOException {
    inner.createDirectory(unwrapped(folder), attributes);
  }

  @Override
  public void delete(Path path) throws IOException {
    inner.delete(unwrapped(path));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    inner.copy(unwrapped(source), unwrapped(target), options);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    inner.move(unwrapped(source), unwrapped(target), options);
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    return inner.isSameFile(unwrapped(path), unwrapped(other));
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return inner.isHidden(unwrapped(path));
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    return inner.getFileStore(unwrapped(path));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    inner.checkAccess(unwrapped(path), modes);
  }

  @Override
  public <V extends FileAttributeView> @Nullable V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return inner.getFileAttributeView(unwrapped(path), type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    return inner.readAttributes(unwrapped(path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
      throws IOException {
    return inner.readAttributes(unwrapped(path), attributes, options);
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
      throws IOException {
    inner.setAttribute(unwrapped(path), attribute, value, options);
  }
}
