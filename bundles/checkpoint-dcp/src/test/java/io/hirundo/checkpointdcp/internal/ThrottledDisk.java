package io.hirundo.checkpointdcp.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A store to each file of which bytes go at a given speed, whoever else is writing: as many links as writers. Of what is large it
 * keeps the length only, so that no disk, and no memory in its place, limits them all together.
 */
record ThrottledDisk(FileOperations files, long bytesPerSecond) implements FileOperations {
  @Override
  public Output createFile(Path file) throws IOException {
    Output output = files.createFile(file);
    return new Output() {
      private final long beginNanos = System.nanoTime();
      private long bytesSent;

      @Override
      public void write(ByteBuffer bytes, long position) throws IOException {
        bytesSent += bytes.remaining();
        int keptBytes = bytes.remaining() < DiskOutput.LEAST_DIRECT_BYTES ? bytes.remaining() : 1;
        long forgottenBytes = bytes.remaining() - keptBytes;
        output.write(bytes.position(bytes.limit() - keptBytes), position + forgottenBytes);
        long dueNanos = beginNanos + TimeUnit.SECONDS.toNanos(1) * bytesSent / bytesPerSecond;
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
      }

      @Override
      public void sync() throws IOException {
        output.sync();
      }

      @Override
      public void close() throws IOException {
        output.close();
      }
    };
  }

  @Override
  public void createFolder(Path folder) throws IOException {
    files.createFolder(folder);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    files.rename(from, to);
  }

  @Override
  public void delete(Path path) throws IOException {
    files.delete(path);
  }

  @Override
  public void createNewFolder(Path folder) throws IOException {
    files.createNewFolder(folder);
  }

  @Override
  public void deleteAll(Path path) throws IOException {
    files.deleteAll(path);
  }

  @Override
  public void syncFolder(Path folder) throws IOException {
    files.syncFolder(folder);
  }
}
