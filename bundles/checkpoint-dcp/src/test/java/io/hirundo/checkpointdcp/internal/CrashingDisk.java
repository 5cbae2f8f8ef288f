package io.hirundo.checkpointdcp.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A disk whose machine stops after a number of operations. What was not synced by then may be lost afterwards: contents of
 * files, and names in folders (files and folders made, renamed, deleted), each by itself, as no file system promises an order.
 */
final class CrashingDisk extends QuickDisk {
  /** Something that a crash may undo. */
  private abstract static class Unsynced {
    Path path;

    Unsynced(Path path) {
      this.path = path;
    }

    /** The folder whose sync makes it safe; null where the file's own sync does. */
    Path folder() {
      return path.getParent();
    }

    abstract void undo(Random random) throws IOException;

    void moved(Path from, Path to) {
      if (path.startsWith(from)) {
        path = to.resolve(from.relativize(path));
      }
    }
  }

  private final List<Unsynced> unsynced = new ArrayList<>();
  private int operationsLeft;
  private boolean isDown;

  CrashingDisk(int operationsLeft) {
    this.operationsLeft = operationsLeft;
  }

  boolean isDown() {
    return isDown;
  }

  @Override
  void step() throws IOException {
    if (operationsLeft-- <= 0) {
      isDown = true;
      throw new IOException("the machine is down");
    }
  }

  /** Loses each unsynced thing with the given probability. */
  void lose(double probability, Random random) throws IOException {
    while (!unsynced.isEmpty()) {
      Unsynced last = unsynced.removeLast();
      if (random.nextDouble() < probability) {
        last.undo(random);
      }
    }
  }

  @Override
  public void createFolder(Path folder) throws IOException {
    super.createFolder(folder);
    unsynced.add(new Created(folder));
  }

  @Override
  public Output createFile(Path file) throws IOException {
    Output output = super.createFile(file);
    unsynced.add(new Created(file));
    unsynced.add(new Contents(file));
    return output;
  }

  @Override
  void synced(Path file) {
    unsynced.removeIf(entry -> entry instanceof Contents && entry.path.equals(file));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    var renamed = new Renamed(from, to, Files.isRegularFile(to) ? Files.readAllBytes(to) : null);
    super.rename(from, to);
    // A name that was not safe yet is so, or is not, with the new one.
    unsynced.removeIf(entry -> entry instanceof Created && entry.path.equals(from));
    unsynced.forEach(entry -> entry.moved(from, to));
    unsynced.add(renamed);
  }

  @Override
  public void delete(Path path) throws IOException {
    byte[] contents = Files.isRegularFile(path) ? Files.readAllBytes(path) : null;
    super.delete(path);
    forget(path, contents);
  }

  private void forget(Path path, byte[] contents) {
    unsynced.removeIf(entry -> entry.path.equals(path));
    unsynced.add(new Deleted(path, contents));
  }

  @Override
  public void createNewFolder(Path folder) throws IOException {
    super.createNewFolder(folder);
    unsynced.add(new Created(folder));
  }

  @Override
  void deleting(Path entry) throws IOException {
    forget(entry, Files.isRegularFile(entry) ? Files.readAllBytes(entry) : null);
  }

  @Override
  public void syncFolder(Path folder) throws IOException {
    super.syncFolder(folder);
    unsynced.removeIf(entry -> folder.equals(entry.folder()));
  }

  private static final class Created extends Unsynced {
    Created(Path path) {
      super(path);
    }

    @Override
    void undo(Random random) throws IOException {
      if (Files.exists(path)) {
        try (Stream<Path> entries = Files.walk(path)) {
          for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(entry);
          }
        }
      }
    }
  }

  private static final class Contents extends Unsynced {
    Contents(Path path) {
      super(path);
    }

    @Override
    Path folder() {
      return null;
    }

    /** Torn: some is there, some is not, and some is zeros. */
    @Override
    void undo(Random random) throws IOException {
      if (Files.exists(path)) {
        byte[] bytes = Files.readAllBytes(path);
        byte[] torn = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
        if (torn.length > 0 && random.nextBoolean()) {
          java.util.Arrays.fill(torn, random.nextInt(torn.length), torn.length, (byte) 0);
          torn = java.util.Arrays.copyOf(torn, bytes.length);
        }
        Files.write(path, torn);
      }
    }
  }

  private final class Renamed extends Unsynced {
    private final Path from;
    private final byte[] replaced;

    Renamed(Path from, Path to, byte[] replaced) {
      super(to);
      this.from = from;
      this.replaced = replaced;
    }

    @Override
    void undo(Random random) throws IOException {
      if (Files.exists(path) && Files.exists(from.getParent())) {
        Files.move(path, from, StandardCopyOption.ATOMIC_MOVE);
        Path to = path;
        unsynced.forEach(entry -> entry.moved(to, from));
        if (replaced != null) {
          Files.write(to, replaced);
        }
      }
    }
  }

  private static final class Deleted extends Unsynced {
    private final byte[] contents;

    Deleted(Path path, byte[] contents) {
      super(path);
      this.contents = contents;
    }

    @Override
    void undo(Random random) throws IOException {
      if (!Files.exists(path) && Files.exists(path.getParent())) {
        if (contents == null) {
          Files.createDirectory(path);
        } else {
          Files.write(path, contents);
        }
      }
    }
  }
}
