package io.hirundo.storefolder.internal;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.storefolder.internal.CopyIndex.CopiedFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run's copies in a folder: {@code NAME.index}, and the files in {@code NAME.ID}. */
final class FolderSession implements StoreSession {
  private static final Logger LOG = LoggerFactory.getLogger(FolderSession.class);
  private static final String INDEX = ".index";

  /** An index, or the folder of a copy's files; all else here is somebody else's. */
  private static final Pattern OURS = Pattern.compile(".+\\.([0-9a-f]{8}|index(\\.tmp)?)");

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
    for (Path entry : entries()) {
      String file = entry.getFileName().toString();
      if (file.endsWith(INDEX)) {
        String name = file.substring(0, file.length() - INDEX.length());
        // What cannot be read is not damaged: it ends all of this.
        String text = new String(Files.readAllBytes(entry), StandardCharsets.UTF_8);
        try {
          CopyIndex index = CopyIndex.parse(text, entry.toString());
          requireLengths(data(name, index), index);
          indexes.put(name, index);
        } catch (CheckpointException damage) {
          LOG.warn("a copy is not whole: {}", damage.getMessage());
        }
      }
    }
    return indexes;
  }

  private static void requireLengths(Path data, CopyIndex index) throws IOException {
    for (CopiedFile file : index.files()) {
      Path path = data.resolve(file.name());
      try {
        if (Files.size(path) != file.bytes()) {
          throw new CheckpointException(path + " is not of " + file.bytes() + " bytes");
        }
      } catch (NoSuchFileException e) {
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
          CopyIndex index = CopyFiles.index(checkpoint.path(), checkpoint.step());
          Path data = data(name, index);
          Files.createDirectories(data);
          CopyFiles.syncFolder(root);
          long before = 0;
          for (CopiedFile file : index.files()) {
            long done = before;
            store(checkpoint.path(), data, file, bytes -> doneBytes.accept(done + bytes));
            before += file.bytes();
            doneBytes.accept(before);
          }
          CopyFiles.syncFolders(data);
          CopyFiles.replace(folder.resolve(name + INDEX), index.text());
          removeLeftovers();
          return null;
        });
  }

  /** Reads back what was written: a disk may have kept something else. */
  private static void store(Path from, Path data, CopiedFile file, LongConsumer done) throws IOException {
    if (CopyFiles.has(data, file)) {
      // Whoever has written it may not have come to that.
      CopyFiles.sync(data.resolve(file.name()));
      return;
    }
    CopyFiles.copy(from, data, file.name(), done);
    if (!CopyFiles.has(data, file)) {
      throw new CheckpointException(data.resolve(file.name()) + " does not hold what was written to it");
    }
  }

  /**
   * What has a name of ours and no index speaks of: attempts that were cut off, and the files of copies that were replaced or deleted.
   * Where an index is damaged, nobody knows what it speaks of: all of its name stays.
   */
  private void removeLeftovers() throws IOException {
    Set<String> named = new TreeSet<>();
    for (var copy : indexes().entrySet()) {
      named.add(copy.getKey() + INDEX);
      named.add(data(copy.getKey(), copy.getValue()).getFileName().toString());
    }
    List<Path> entries = entries();
    List<String> damaged =
        entries.stream()
            .map(entry -> entry.getFileName().toString())
            .filter(name -> name.endsWith(INDEX) && !named.contains(name))
            .map(name -> name.substring(0, name.length() - INDEX.length() + 1))
            .toList();
    for (Path entry : entries) {
      String name = entry.getFileName().toString();
      boolean isUnknown = damaged.stream().anyMatch(name::startsWith);
      if (!named.contains(name) && OURS.matcher(name).matches() && !isUnknown) {
        CopyFiles.delete(entry);
      }
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
            CopiedFile read = CopyFiles.copy(data, into, file.name(), bytes -> doneBytes.accept(done + bytes));
            if (!read.equals(file)) {
              throw new CheckpointException(data.resolve(file.name()) + " is damaged: its checksum is wrong");
            }
            before += file.bytes();
          }
          CopyFiles.syncFolders(into);
          return null;
        });
  }

  @Override
  public void delete(StoredCheckpoint copy) {
    requireRoot();
    guarded(
        "delete from",
        () -> {
          CopyIndex index = index(copy.name());
          Files.delete(folder.resolve(copy.name() + INDEX));
          CopyFiles.syncFolder(folder);
          CopyFiles.delete(data(copy.name(), index));
          return null;
        });
  }

  private CopyIndex index(String name) throws IOException {
    Path file = folder.resolve(name + INDEX);
    return CopyIndex.parse(Files.readString(file), file.toString());
  }

  private Path data(String name, CopyIndex index) {
    return folder.resolve(name + "." + index.id());
  }

  private List<Path> entries() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
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
    } catch (IOException | UncheckedIOException e) {
      throw new CheckpointException("cannot " + what + " " + folder + ": " + e, e);
    }
  }

  @Override
  public void close() {}
}
