package io.hirundo.storefolder.internal;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.HirundoException;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.checkpoint.support.CopyIndex;
import io.hirundo.checkpoint.support.CopyIndex.CopiedFile;
import io.hirundo.checkpoint.support.CopyNames;
import io.hirundo.checkpoint.support.Folders;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.files.Deletion;
import io.hirundo.lib.files.RealFolders;
import io.hirundo.lib.input.FileTooLargeException;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import io.hirundo.lib.input.Reason;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run's copies in a folder: {@code NAME.index}, and the files in {@code NAME.ID}. */
final class FolderSession implements StoreSession {
  private static final Logger LOG = LoggerFactory.getLogger(FolderSession.class);

  private final Path root;
  private final Path folder;

  FolderSession(Path root, String run) {
    this.root = root;
    this.folder = root.resolve(run);
  }

  @Override
  public String place() {
    return folder.toString();
  }

  @Override
  public List<StoredCheckpoint> list() {
    requireRoot();
    return guarded(
        "read",
        () -> {
          var copies = new ArrayList<StoredCheckpoint>();
          for (var copy : indexes().entrySet()) {
            copies.add(new StoredCheckpoint(copy.getKey(), copy.getValue().step(), copy.getValue().bytes()));
          }
          copies.sort(Comparator.comparingLong(StoredCheckpoint::step).thenComparing(StoredCheckpoint::name).reversed());
          return List.copyOf(copies);
        });
  }

  /** By name, those whose files are as long as they say. */
  private Map<String, CopyIndex> indexes() throws IOException {
    var indexes = new HashMap<String, CopyIndex>();
    for (String entry : entries()) {
      Optional<String> name = CopyNames.ofIndex(entry);
      if (name.isPresent()) {
        Path file = folder.resolve(entry);
        String text;
        try {
          // What cannot be read is not damaged: it ends all of this.
          text = InputFiles.readString(file, CopyIndex.MAX_TEXT_BYTES);
        } catch (NoSuchFileException deleted) {
          requireFolder("read", deleted);
          continue;
        } catch (IrregularFileException | FileTooLargeException damage) {
          LOG.warn("a copy is not whole: {}", damage.getMessage());
          continue;
        }
        try {
          CopyIndex index = CopyIndex.parse(text, file.toString());
          requireLengths(data(name.get(), index), index);
          indexes.put(name.get(), index);
        } catch (CheckpointException damage) {
          LOG.warn("a copy is not whole: {}", damage.getMessage());
        }
      }
    }
    return indexes;
  }

  private void requireLengths(Path data, CopyIndex index) throws IOException {
    for (CopiedFile file : index.files()) {
      Path path = data.resolve(file.name());
      try {
        if (Files.size(path) != file.bytes()) {
          throw new CheckpointException(path + " is not of " + file.bytes() + " bytes");
        }
      } catch (NoSuchFileException e) {
        requireFolder("read", e);
        throw new CheckpointException(path + " is missing", e);
      }
    }
  }

  @Override
  public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
    requireRoot();
    String name = checkpoint.path().getFileName().toString();
    guarded(
        "write",
        () -> {
          CopyIndex index = read(checkpoint);
          Path data = data(name, index);
          Files.createDirectories(data);
          requireOwn(data, index);
          Folders.syncNames(root);
          long before = 0;
          for (CopiedFile file : index.files()) {
            long done = before;
            store(checkpoint.path(), data, file, bytes -> doneBytes.accept(done + bytes));
            before += file.bytes();
            doneBytes.accept(before);
          }
          Folders.syncAllNames(data);
          AtomicFile.write(
              folder.resolve(CopyNames.index(name)), folder.resolve(CopyNames.unfinishedIndex(name)),
              out -> out.write(index.text().getBytes(StandardCharsets.UTF_8)));
          removeLeftovers();
          return null;
        });
  }

  /** What an earlier attempt made is written to again; what somebody has linked there is not. */
  private static void requireOwn(Path data, CopyIndex index) throws IOException {
    RealFolders.require(data);
    for (CopiedFile file : index.files()) {
      for (Path above = Path.of(file.name()).getParent(); above != null; above = above.getParent()) {
        if (Files.exists(data.resolve(above), LinkOption.NOFOLLOW_LINKS)) {
          RealFolders.require(data.resolve(above));
        }
      }
    }
  }

  private static CopyIndex read(CheckpointInfo checkpoint) {
    try {
      return CopyFiles.index(checkpoint.path(), checkpoint.step());
    } catch (ClosedByInterruptException cutOff) {
      throw new StoreException("interrupted", cutOff);
    } catch (IOException e) {
      throw new CheckpointException(checkpoint.path() + " cannot be read: " + e, e);
    }
  }

  /** Reads back what was written: a disk may have kept something else. */
  private void store(Path from, Path data, CopiedFile file, LongConsumer done) throws IOException {
    if (CopyFiles.has(data, file)) {
      // Whoever has written it may not have come to that.
      Folders.syncFile(data.resolve(file.name()));
      return;
    }
    CopyFiles.copy(from, data, file.name(), done, e -> failure("write", e));
    if (!CopyFiles.has(data, file)) {
      throw new StoreException(data.resolve(file.name()) + " does not hold what was written to it");
    }
  }

  /** The copy is whole by now: trouble here is worth a line. */
  private void removeLeftovers() {
    try {
      for (String leftover : CopyNames.leftovers(entries(), indexes())) {
        Deletion.delete(folder.resolve(leftover));
      }
    } catch (IOException | StoreException e) {
      LOG.warn("leftovers in {} could not be removed: {}", folder, e.toString());
    }
  }

  @Override
  public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
    requireRoot();
    guarded(
        "fetch from",
        () -> {
          CopyIndex index = index(copy.name());
          Path data = data(copy.name(), index);
          long before = 0;
          for (CopiedFile file : index.files()) {
            long done = before;
            CopiedFile read =
                CopyFiles.copy(data, into, file.name(), bytes -> doneBytes.accept(done + bytes), e -> unwritable(into, e));
            if (!read.equals(file)) {
              throw new CheckpointException(data.resolve(file.name()) + " is damaged: its checksum is wrong");
            }
            before += file.bytes();
          }
          syncNames(into);
          return null;
        });
  }

  private static void syncNames(Path into) {
    try {
      Folders.syncAllNames(into);
    } catch (IOException e) {
      throw unwritable(into, e);
    }
  }

  /** No fault of the copy. */
  private static HirundoException unwritable(Path folder, IOException e) {
    return e instanceof ClosedByInterruptException
        ? new StoreException("interrupted", e)
        : new StorageException(folder + " cannot be written: " + Reason.of(e) + "; make room or mend it", e);
  }

  @Override
  public void delete(StoredCheckpoint copy) {
    requireRoot();
    guarded(
        "delete from",
        () -> {
          CopyIndex index = index(copy.name());
          Files.delete(folder.resolve(CopyNames.index(copy.name())));
          Folders.syncNames(folder);
          Deletion.delete(data(copy.name(), index));
          return null;
        });
  }

  private CopyIndex index(String name) throws IOException {
    Path file = folder.resolve(CopyNames.index(name));
    return CopyIndex.parse(InputFiles.readString(file, CopyIndex.MAX_TEXT_BYTES), file.toString());
  }

  private Path data(String name, CopyIndex index) {
    return folder.resolve(CopyNames.files(name, index));
  }

  private List<String> entries() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  private void requireRoot() {
    if (!Files.isDirectory(root)) {
      throw new ConfigurationException("checkpoint.store.options.path: there is no folder " + root + "; make it, or mount its disk");
    }
  }

  /** Work with files. */
  private interface Work<T> {
    T get() throws IOException;
  }

  private <T> T guarded(String what, Work<T> work) {
    try {
      return work.get();
    } catch (NoSuchFileException missing) {
      requireFolder(what, missing);
      throw new CheckpointException("cannot " + what + " " + folder + ": " + missing.getFile() + " is missing", missing);
    } catch (IOException e) {
      throw failure(what, e);
    }
  }

  /** Where all of the run's copies are gone their disk has been unmounted, most likely: that says nothing of any of them. */
  private void requireFolder(String what, NoSuchFileException missing) {
    if (!Files.isDirectory(folder)) {
      throw failure(what, missing);
    }
  }

  private StoreException failure(String what, IOException e) {
    return new StoreException("cannot " + what + " " + folder + ": " + Reason.of(e), e);
  }

  @Override
  public void close() {}
}
