package io.hirundo.storefolder.internal;

import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.lib.files.Folders;
import io.hirundo.testkit.CheckpointStoreContract;
import io.hirundo.testkit.HirundoContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;

@HirundoContract
class FolderContractTest implements CheckpointStoreContract {
  @TempDir private Path root;

  @Override
  public CheckpointStore store() {
    return new FolderFactory().create(new FolderOptions(root.toString()));
  }

  @Override
  public StoredBytes stored() {
    return new StoredFiles(root);
  }

  /** The files of a store. */
  record StoredFiles(Path root) implements StoredBytes {
    @Override
    public Map<String, byte[]> all() {
      try {
        var all = new TreeMap<String, byte[]>();
        for (Path file : Folders.files(root)) {
          all.put(Folders.name(root, file), Files.readAllBytes(file));
        }
        return all;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void write(String name, byte[] bytes) {
      try {
        Files.write(root.resolve(name), bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void delete(String name) {
      try {
        Files.delete(root.resolve(name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
