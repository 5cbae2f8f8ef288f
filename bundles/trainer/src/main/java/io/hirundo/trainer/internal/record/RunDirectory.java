package io.hirundo.trainer.internal.record;

import io.hirundo.BusyException;
import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.train.RunFolder;
import io.hirundo.trainer.internal.config.RunSection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A run's directory, held by a lock during the run. Everything that a run writes is below it. In a run of several processes
 * the one with rank 0 leads: it holds the lock for all, and writes files that do not belong to a single rank.
 */
public final class RunDirectory implements AutoCloseable {
  private static final int LOCK_ATTEMPTS = 100;
  private static final int LARGEST_MARK = 1 << 16;

  /** Holds the number of the step after which the run ended. Without it, --resume repeats the work of the end. */
  private static final String ENDED = "ended";

  private static final int LARGEST_ENDED = 100;

  private final Path path;
  private final FileChannel lockChannel;

  /**
   * Creates the directory, or opens that of an earlier run.
   *
   * @param resume whether to continue an earlier run; otherwise there must be none
   * @throws BusyException when another process holds it
   */
  public static RunDirectory open(RunSection section, boolean resume) {
    Path path = pathOf(section);
    requireRegular(path);
    // Before the lock, so that a rejection changes nothing; and again under it, because another run may have started.
    checkExists(path, resume);
    var directory = new RunDirectory(path, lock(path));
    try {
      checkExists(path, resume);
      return directory;
    } catch (ConfigurationException refusal) {
      directory.close();
      throw refusal;
    }
  }

  /**
   * The directory of a run that has ended or was stopped, for commands that read it.
   *
   * @param named the path as the user typed it
   * @throws BusyException while the run is active
   */
  public static RunDirectory ofEnded(Path folder, Path named) {
    try {
      return open(new RunSection(folder.getFileName().toString(), folder.getParent().toString()), true);
    } catch (BusyException goesOn) {
      throw new BusyException(named + ": the run is active; wait for its end or stop it, then try again", goesOn);
    }
  }

  /** Creates or opens the directory of an earlier run, of which only remote copies may be left. */
  public static RunDirectory restored(RunSection section) {
    Path path = pathOf(section);
    requireRegular(path);
    return new RunDirectory(path, lock(path));
  }

  /** The directory of a run that another process leads and creates. */
  public static RunDirectory led(RunSection section) {
    return new RunDirectory(pathOf(section), null);
  }

  /** Runs before any open: opening a named pipe would block until its other end opens. */
  private static void requireRegular(Path path) {
    if (!Files.isDirectory(path)) {
      return;
    }
    Path configuration = path.resolve(RunFolder.CONFIGURATION);
    Path ended = path.resolve(ENDED);
    for (Path file : List.of(path.resolve(RunFolder.LOCK), configuration, AtomicFile.partOf(configuration), ended, AtomicFile.partOf(ended))) {
      try {
        InputFiles.requireRegular(file);
      } catch (NoSuchFileException free) {
        // It is created later.
      } catch (IOException failure) {
        throw new StorageException("run.directory: cannot write " + OutputFiles.explain(file, failure), failure);
      }
    }
  }

  private static void checkExists(Path path, boolean resume) {
    boolean exists = Files.exists(path.resolve(RunFolder.CONFIGURATION));
    if (exists && !resume) {
      throw new ConfigurationException(
          "run.name: " + path + " holds a run already; continue it with --resume, or set another run.name");
    }
    if (!exists && resume) {
      throw new ConfigurationException("--resume: there is no run in " + path + " (no " + RunFolder.CONFIGURATION + ")");
    }
  }

  public static Path pathOf(RunSection section) {
    return Path.of(section.directory()).resolve(section.name()).toAbsolutePath().normalize();
  }

  private RunDirectory(Path path, FileChannel lockChannel) {
    this.path = path;
    this.lockChannel = lockChannel;
  }

  /** Whether this process leads the run. */
  public boolean leads() {
    return lockChannel != null;
  }

  public Path path() {
    return path;
  }

  public Path checkpoints() {
    return path.resolve(RunFolder.CHECKPOINTS);
  }

  /** Folder of the exported model. */
  public Path model() {
    return path.resolve("model");
  }

  /** File of gradient and weight fingerprints. */
  public Path fingerprints() {
    return path.resolve("fingerprints.jsonl");
  }

  public Path log(int rank) {
    return path.resolve("rank-" + rank).resolve("log.txt");
  }

  /** Writes the configuration atomically, in the process that leads. */
  public void writeConfiguration(String json) {
    write(RunFolder.CONFIGURATION, json);
  }

  /** Records, in the process that leads, that the run ended after its last step and wrote all results. */
  public void writeEnd(long step) {
    write(ENDED, step + "\n");
  }

  /** The step after which the run last ended; empty if it did not. */
  public OptionalLong endedAt() {
    try {
      return OptionalLong.of(Long.parseLong(InputFiles.readString(path.resolve(ENDED), LARGEST_ENDED).strip()));
    } catch (NoSuchFileException | NumberFormatException none) {
      return OptionalLong.empty();
    } catch (IOException failure) {
      throw new StorageException("cannot read " + path.resolve(ENDED) + ": " + failure.getMessage() + "; remove it", failure);
    }
  }

  private void write(String name, String text) {
    if (!leads()) {
      return;
    }
    try {
      AtomicFile.write(path.resolve(name), text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException failure) {
      throw new StorageException("cannot write " + OutputFiles.explain(path.resolve(name), failure), failure);
    }
  }

  /** Releases the lock, and removes a directory in which no run began. */
  @Override
  public void close() {
    if (!leads()) {
      return;
    }
    try (lockChannel) {
      if (!Files.exists(path.resolve(RunFolder.CONFIGURATION))) {
        Files.deleteIfExists(path.resolve(RunFolder.LOCK));
        deleteIfEmpty(path);
      }
    } catch (IOException failure) {
      throw new StorageException("cannot release the lock of " + path + ": " + failure.getMessage(), failure);
    }
  }

  private static void deleteIfEmpty(Path folder) throws IOException {
    try {
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException inUse) {
      // Not empty: the user's files, or another run that already uses the directory.
    }
  }

  private static FileChannel lock(Path path) {
    try {
      // Parent directories stay: no other run removes them.
      Files.createDirectories(path.getParent());
      makeFolder(path);
    } catch (IOException failure) {
      throw new StorageException(
          "run.directory: " + path + " cannot be created: " + reason(failure) + "; give a folder that can be written to", failure);
    }
    try {
      for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
        var channel = tryToLock(path);
        if (channel.isPresent()) {
          return channel.get();
        }
      }
    } catch (IOException failure) {
      throw new StorageException("run.directory: cannot write to " + OutputFiles.explain(path, failure), failure);
    }
    throw new BusyException("run directory " + path + " appears and disappears: another run starts in it; try again");
  }

  /** Empty when another run that failed to start removed the folder or the lock file. */
  private static Optional<FileChannel> tryToLock(Path path) throws IOException {
    FileChannel channel;
    try {
      makeFolder(path);
      channel = FileChannel.open(
              path.resolve(RunFolder.LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException folderRemoved) {
      return Optional.empty();
    }
    try {
      if (!isLocked(channel)) {
        throw new BusyException(
            "run directory " + path + " is in use by another run; wait for it to end, or give another run.name");
      }
      if (isStillAt(path.resolve(RunFolder.LOCK), channel)) {
        return Optional.of(channel);
      }
    } catch (IOException | BusyException failure) {
      channel.close();
      throw failure;
    }
    channel.close();
    return Optional.empty();
  }

  /** Creates the folder in an existing parent. Another run may remove it at any time, but not a file of that name. */
  private static void makeFolder(Path path) throws IOException {
    try {
      Files.createDirectory(path);
    } catch (FileAlreadyExistsException conflict) {
      if (isInTheWay(path)) {
        throw conflict;
      }
    }
  }

  /** Reads the attributes once: between two reads another run could create and remove the folder. */
  private static boolean isInTheWay(Path path) throws IOException {
    try {
      return !Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isDirectory() && !Files.isDirectory(path);
    } catch (NoSuchFileException removed) {
      return false;
    }
  }

  /** File system exceptions often contain only a path. */
  private static String reason(IOException failure) {
    if (failure instanceof FileAlreadyExistsException conflict) {
      boolean isLink = Files.isSymbolicLink(Path.of(conflict.getFile()));
      return conflict.getFile() + (isLink ? " is a link to a missing target" : " is not a folder");
    }
    return failure instanceof NoSuchFileException refusal
        ? "cannot create " + refusal.getFile()
        : failure.getMessage() + " (" + failure.getClass().getSimpleName().replace("Exception", "") + ")";
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException heldByThisProcess) {
      return false;
    }
  }

  /**
   * A lock on a deleted file excludes nobody, so a write through the channel must show at the path. It compares the
   * size, because opening and closing the file again would release the process's lock on POSIX.
   */
  private static boolean isStillAt(Path file, FileChannel channel) throws IOException {
    int mark = ThreadLocalRandom.current().nextInt(1, LARGEST_MARK);
    channel.truncate(0);
    channel.write(ByteBuffer.allocate(mark));
    try {
      return Files.size(file) == mark;
    } catch (NoSuchFileException removed) {
      return false;
    }
  }
}
