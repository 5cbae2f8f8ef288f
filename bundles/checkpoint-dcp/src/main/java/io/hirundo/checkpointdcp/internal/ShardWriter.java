package io.hirundo.checkpointdcp.internal;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Writes pieces of tensors into one data file, a chunk at a time: host memory does not grow with the tensors. */
final class ShardWriter implements AutoCloseable {
  private final Device device;
  private final Queue queue;
  private final FileOperations.Output output;
  private final int chunkBytes;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment staging;
  private long end;

  /** Does not own the output. */
  ShardWriter(Device device, Queue queue, FileOperations.Output output, int chunkBytes) {
    this.device = device;
    this.queue = queue;
    this.output = output;
    this.chunkBytes = chunkBytes;
    this.staging = arena.allocate(chunkBytes, DataFile.ALIGNMENT_BYTES);
  }

  SavedShard write(StateShard shard) throws IOException {
    Tensor local = shard.local();
    long begin = local.byteSize() == 0 ? 0 : DataFile.align(end);
    var checksums = new StringBuilder();
    for (long done = 0; done < local.byteSize(); done += chunkBytes) {
      long bytes = Math.min(chunkBytes, local.byteSize() - done);
      checksums.append(HexFormat.of().toHexDigits(writeChunk(local, done, bytes, begin + done)));
    }
    if (local.byteSize() > 0) {
      end = begin + local.byteSize();
    }
    return new SavedShard(
        shard.offset(),
        local.shape().dims(),
        new SavedShard.Place(0, begin, local.byteSize()),
        checksums.toString());
  }

  private int writeChunk(Tensor local, long tensorByte, long bytes, long position) throws IOException {
    int elementBytes = local.dtype().byteSize();
    Tensor chunk = local.view(tensorByte / elementBytes, Shape.of(bytes / elementBytes));
    device.transfer().download(queue, chunk, staging);
    queue.drain();
    ByteBuffer buffer = staging.asSlice(0, bytes).asByteBuffer();
    int crc32c = checksum(buffer.duplicate());
    output.write(buffer, position);
    return crc32c;
  }

  static int checksum(ByteBuffer bytes) {
    var checksum = new CRC32C();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }

  /** Length of the file so far. */
  long bytes() {
    return end;
  }

  @Override
  public void close() {
    arena.close();
  }
}
