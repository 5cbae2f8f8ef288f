package io.hirundo.dataloader.internal.indexed;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An {@code .idx} file in the making. The lengths of the documents are written as they come; pointers and borders follow
 * from them at the end, so that memory does not grow with the dataset. Every document is one sequence.
 */
final class IndexOutput {
    private final OutputFile file;
    private final TokenType type;
    private final BufferedOutput lengths;
    private long documents;

    IndexOutput(OutputFile file, TokenType type) {
        this.file = file;
        this.type = type;
        lengths = new BufferedOutput(file, DatasetIndex.HEADER_BYTES);
    }

    void add(int tokens) throws IOException {
        lengths.room(Integer.BYTES).putInt(tokens);
        documents++;
    }

    long documents() {
        return documents;
    }

    /** Of the finished file. */
    long bytes() {
        return DatasetIndex.HEADER_BYTES + 12 * documents + 8 * (documents + 1);
    }

    /** Completes the file; it can be read from now on, but need not be on the disk. */
    void finish() throws IOException {
        lengths.flush();
        var output = new BufferedOutput(file, DatasetIndex.HEADER_BYTES + Integer.BYTES * documents);
        writePointers(output);
        for (long border = 0; border <= documents; border++) {
            output.room(Long.BYTES).putLong(border);
        }
        output.flush();
        writeHeader();
    }

    private void writePointers(BufferedOutput output) throws IOException {
        var chunk = ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        long pointer = 0;
        long at = DatasetIndex.HEADER_BYTES;
        for (long left = documents; left > 0; left -= chunk.limit() / Integer.BYTES) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), left * Integer.BYTES));
            file.read(chunk, at);
            at += chunk.limit();
            chunk.flip();
            while (chunk.hasRemaining()) {
                output.room(Long.BYTES).putLong(pointer);
                pointer += (long) chunk.getInt() * type.bytes();
            }
        }
    }

    private void writeHeader() throws IOException {
        var header = ByteBuffer.allocate(DatasetIndex.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(DatasetIndex.MAGIC).putLong(DatasetIndex.VERSION).put((byte) type.code());
        header.putLong(documents).putLong(documents + 1).flip();
        file.write(header, 0);
    }
}
