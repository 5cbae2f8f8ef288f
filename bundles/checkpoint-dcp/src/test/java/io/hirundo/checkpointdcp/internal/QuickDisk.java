package io.hirundo.checkpointdcp.internal;

import io.hirundo.lib.files.Deletion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The file system without syncing, which takes its time; with a hook in front of each operation. */
class QuickDisk implements FileOperations {
  private final FileOperations disk = new DiskOperations();

  void step() throws IOException {}

  /** In front of a write; the hook may do some of it. */
  void stepToWrite(Output output, ByteBuffer bytes, long position) throws IOException {
    step();
  }

  void synced(Path file) {}

  @Override
  public void createFolder(Path folder) throws IOException {
    step();
    disk.createFolder(folder);
  }

  @Override
  public Output createFile(Path file) throws IOException {
    step();
    Output output = disk.createFile(file);
    return new Output() {
      @Override
      public void write(ByteBuffer bytes, long position) throws IOException {
        stepToWrite(output, bytes, position);
        output.write(bytes, position);
      }

      @Override
      public void sync() throws IOException {
        step();
        synced(file);
      }

      @Override
      public void close() throws IOException {
        output.close();
      }
    };
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step();
    disk.rename(from, to);
  }

  @Override
  public void delete(Path path) throws IOException {
    step();
    disk.delete(path);
  }

  /** Of each entry that {@link #deleteAll} is about to delete. */
  void deleting(Path entry) throws IOException {}

  @Override
  public void createNewFolder(Path folder) throws IOException {
    step();
    disk.createNewFolder(folder);
  }

  @Override
  public void deleteAll(Path path) throws IOException {
    Deletion.delete(
        path,
        entry -> {
          step();
          deleting(entry);
        });
  }

  @Override
  public void syncFolder(Path folder) throws IOException {
    step();
  }
}
