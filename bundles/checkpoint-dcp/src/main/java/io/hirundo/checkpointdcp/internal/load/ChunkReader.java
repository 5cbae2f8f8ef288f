package io.hirundo.checkpointdcp.internal.load;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.format.SavedShard;
import io.hirundo.checkpointdcp.internal.save.Checksums;
import io.hirundo.lib.input.InputFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads bytes of saved pieces, believing none whose chunk has another checksum than the manifest says. Holds one chunk, so
 * that runs of elements that lie close together cost one read.
 */
public final class ChunkReader implements AutoCloseable {
    private final SavedCheckpoint checkpoint;
    private final int chunkBytes;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment chunk;
    private final Map<Path, FileChannel> channels = new HashMap<>();
    private SavedShard heldShard;
    private int heldChunk;

    public ChunkReader(SavedCheckpoint checkpoint) {
        this.checkpoint = checkpoint;
        this.chunkBytes = checkpoint.manifest().chunkBytes();
        // Allocation zeroes the buffer, so it is not longer than the longest shard.
        long longest = checkpoint.manifest().tensors().stream()
                .flatMap(tensor -> tensor.shards().stream())
                .mapToLong(shard -> shard.place().byteLength())
                .max()
                .orElse(0);
        this.chunk = arena.allocate(Math.min(chunkBytes, longest), DataFile.ALIGNMENT_BYTES);
    }

    /**
     * Reads as many bytes as {@code into} has.
     *
     * @param key the tensor, for messages
     * @param shardByte first byte, counted from the beginning of the piece
     * @throws CheckpointException names the file and the tensor
     */
    void read(String key, SavedShard shard, long shardByte, MemorySegment into) {
        long done = 0;
        while (done < into.byteSize()) {
            long at = shardByte + done;
            hold(key, shard, Math.toIntExact(at / chunkBytes));
            long within = at % chunkBytes;
            long bytes = Math.min(into.byteSize() - done, chunkBytes - within);
            MemorySegment.copy(chunk, within, into, done, bytes);
            done += bytes;
        }
    }

    /**
     * Reads one chunk for nothing but its checksum; returns its bytes.
     *
     * @throws CheckpointException names the file and the tensor
     */
    public long check(String key, SavedShard shard, int index) {
        hold(key, shard, index);
        return Math.min(chunkBytes, shard.place().byteLength() - (long) index * chunkBytes);
    }

    private void hold(String key, SavedShard shard, int index) {
        // Each shard is one object of the manifest.
        if (heldShard == shard && heldChunk == index) {
            return;
        }
        heldShard = null;
        long begin = (long) index * chunkBytes;
        long bytes = Math.min(chunkBytes, shard.place().byteLength() - begin);
        long position = shard.place().byteOffset() + begin;
        Path file = checkpoint.data(shard.place().file());
        ByteBuffer buffer = chunk.asSlice(0, bytes).asByteBuffer();
        try {
            readFully(file, buffer, position);
        } catch (IOException e) {
            throw new CheckpointException(file + " cannot be read for tensor '" + key + "': " + Reason.of(e), e);
        }
        if (Checksums.of(buffer.flip()) != shard.crc32c(index)) {
            throw new CheckpointException(file + " is damaged between bytes " + position + " and " + (position + bytes)
                    + ", in tensor '" + key + "'");
        }
        heldShard = shard;
        heldChunk = index;
    }

    private void readFully(Path file, ByteBuffer buffer, long position) throws IOException {
        FileChannel channel = channels.get(file);
        if (channel == null) {
            InputFiles.requireRegular(file);
            channel = FileChannel.open(file, StandardOpenOption.READ);
            channels.put(file, channel);
        }
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, position + buffer.position()) < 0) {
                throw new IOException("it ends at byte " + (position + buffer.position()));
            }
        }
    }

    @Override
    public void close() {
        arena.close();
        try {
            for (FileChannel channel : channels.values()) {
                channel.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
