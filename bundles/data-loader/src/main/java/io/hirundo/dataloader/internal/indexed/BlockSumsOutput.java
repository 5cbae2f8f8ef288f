package io.hirundo.dataloader.internal.indexed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/** A {@code .sums} file in the making: it gets the bytes of the {@code .bin} as they are written. Memory does not grow with them. */
final class BlockSumsOutput {
    private final OutputFile file;
    private final BufferedOutput sums;
    private final MessageDigest block = Sha256.digest();
    private long bytes;

    BlockSumsOutput(OutputFile file) {
        this.file = file;
        sums = new BufferedOutput(file, BlockSums.HEADER_BYTES);
    }

    /** The next bytes of the {@code .bin}. */
    void add(ByteBuffer next) throws IOException {
        ByteBuffer rest = next.duplicate();
        while (rest.hasRemaining()) {
            int count = (int) Math.min(rest.remaining(), BlockSums.BLOCK_BYTES - bytes % BlockSums.BLOCK_BYTES);
            block.update(rest.slice(rest.position(), count));
            rest.position(rest.position() + count);
            bytes += count;
            if (bytes % BlockSums.BLOCK_BYTES == 0) {
                endBlock();
            }
        }
    }

    private void endBlock() throws IOException {
        sums.room(BlockSums.SUM_BYTES).put(block.digest());
    }

    /**
     * Completes the file; it can be read from now on, but need not be on the disk.
     *
     * @param index the finished {@code .idx}
     */
    void finish(OutputFile index, long indexBytes) throws IOException {
        if (bytes % BlockSums.BLOCK_BYTES != 0) {
            endBlock();
        }
        sums.flush();
        var header = ByteBuffer.allocate(BlockSums.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(BlockSums.MAGIC)
                .putInt(BlockSums.VERSION)
                .putInt(BlockSums.BLOCK_BYTES)
                .putLong(bytes)
                .putLong(indexBytes);
        header.put(sha256(index, indexBytes)).flip();
        file.write(header, 0);
        long end = BlockSums.HEADER_BYTES + BlockSums.SUM_BYTES * Math.ceilDiv(bytes, (long) BlockSums.BLOCK_BYTES);
        file.write(ByteBuffer.wrap(sha256(file, end)), end);
    }

    private static byte[] sha256(OutputFile file, long bytes) throws IOException {
        MessageDigest digest = Sha256.digest();
        var chunk = ByteBuffer.allocate(1 << 16);
        for (long at = 0; at < bytes; at += chunk.limit()) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), bytes - at));
            file.read(chunk, at);
            digest.update(chunk.flip());
        }
        return digest.digest();
    }
}
