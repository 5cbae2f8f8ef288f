package io.hirundo.trainer.internal.run;

import io.hirundo.BusyException;
import io.hirundo.ConfigurationException;
import io.hirundo.StorageException;
import io.hirundo.trainer.internal.config.RunSection;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A run's own folder, held by a lock while the run goes on. All that a run writes lies below it. */
public final class RunDirectory implements AutoCloseable {
  private static final String CONFIGURATION = "config.json";
  private static final String LOCK = ".lock";

  private final Path path;
  private final FileChannel lockChannel;

  /**
   * Makes the folder, or takes it up again.
   *
   * @param resume whether an earlier run is continued; if not, there must not be one
   * @throws BusyException when another process holds it
   */
  public static RunDirectory open(RunSection section, boolean resume) {
    Path path = pathOf(section);
    boolean exists = Files.exists(path.resolve(CONFIGURATION));
    if (exists && !resume) {
      throw new ConfigurationException(
          "run.name: there is a run in " + path + " already; continue it with --resume, or give another run.name");
    }
    if (!exists && resume) {
      throw new ConfigurationException("--resume: there is no run in " + path + " (no " + CONFIGURATION + ")");
    }
    try {
      Files.createDirectories(path);
      return new RunDirectory(path, lock(path));
    } catch (IOException failure) {
      throw new StorageException("run.directory: cannot write to " + path + ": " + failure.getMessage(), failure);
    }
  }

  public static Path pathOf(RunSection section) {
    return Path.of(section.directory()).resolve(section.name()).toAbsolutePath().normalize();
  }

  private RunDirectory(Path path, FileChannel lockChannel) {
    this.path = path;
    this.lockChannel = lockChannel;
  }

  public Path path() {
    return path;
  }

  public Path checkpoints() {
    return path.resolve("checkpoints");
  }

  /** Where the trained model is written. */
  public Path model() {
    return path.resolve("model");
  }

  public Path log(int rank) {
    return path.resolve("rank-" + rank).resolve("log.txt");
  }

  /** Writes the configuration, whole or not at all. */
  public void writeConfiguration(String json) {
    Path temporary = path.resolve(CONFIGURATION + ".tmp");
    try {
      Files.writeString(temporary, json);
      Files.move(temporary, path.resolve(CONFIGURATION), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failure) {
      throw new StorageException("cannot write " + path.resolve(CONFIGURATION) + ": " + failure.getMessage(), failure);
    }
  }

  /** Lets go of the lock. A folder in which no run began is removed again. */
  @Override
  public void close() {
    try (lockChannel) {
      if (!Files.exists(path.resolve(CONFIGURATION))) {
        Files.deleteIfExists(path.resolve(LOCK));
        deleteIfEmpty(path);
      }
    } catch (IOException failure) {
      throw new StorageException("cannot release the lock of " + path + ": " + failure.getMessage(), failure);
    }
  }

  private static void deleteIfEmpty(Path folder) throws IOException {
    try (var entries = Files.list(folder)) {
      if (entries.findAny().isPresent()) {
        return;
      }
    }
    Files.delete(folder);
  }

  private static FileChannel lock(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (tryLock(channel)) {
        return channel;
      }
    } catch (IOException failure) {
      channel.close();
      throw failure;
    }
    channel.close();
    throw new BusyException(
        "run directory " + path + " is in use by another run; wait for it to end, or give another run.name");
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException heldByThisProcess) {
      return false;
    }
  }
}
