package io.hirundo.checkpointhf.internal.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writing that survives a crash. */
public final class DurableFile {
  private static final long BUFFER_BYTES = 64L << 20;

  private DurableFile() {}

  /** A new file. */
  public static void write(Path file, byte[] bytes) throws IOException {
    create(file, bytes, bytes.length);
  }

  /** A new file of so many bytes, of which the first are given; the others are 0, and take no room yet. */
  public static void create(Path file, byte[] first, long byteSize) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      writeAll(channel, MemorySegment.ofArray(first), 0);
      if (byteSize > first.length) {
        channel.write(ByteBuffer.allocate(1), byteSize - 1);
      }
      channel.force(true);
    }
  }

  /** All bytes, however many: a buffer cannot hold more than an int counts, and a write may be short. */
  public static void writeAll(FileChannel channel, MemorySegment bytes, long position) throws IOException {
    for (long done = 0; done < bytes.byteSize(); done += BUFFER_BYTES) {
      ByteBuffer buffer = bytes.asSlice(done, Math.min(BUFFER_BYTES, bytes.byteSize() - done)).asByteBuffer();
      long at = position + done;
      while (buffer.hasRemaining()) {
        at += channel.write(buffer, at);
      }
    }
  }

  /** Makes the names in a folder survive a crash. */
  public static void syncFolder(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
