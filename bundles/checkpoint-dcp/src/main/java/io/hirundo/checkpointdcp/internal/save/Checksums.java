package io.hirundo.checkpointdcp.internal.save;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/** CRC32C of every chunk of every piece in a data file, of whose bytes it sees one window after the other. */
public final class Checksums {
    private final ShardPlan plan;
    private final CRC32C chunk = new CRC32C();
    private final StringBuilder digits = new StringBuilder();
    private final List<String> pieces = new ArrayList<>();

    Checksums(ShardPlan plan) {
        this.plan = plan;
    }

    public static int of(ByteBuffer bytes) {
        var checksum = new CRC32C();
        checksum.update(bytes);
        return (int) checksum.getValue();
    }

    void add(Window window) {
        for (ShardPlan.Part part :
                plan.parts(window.begin(), window.begin() + window.bytes().byteSize())) {
            add(part, window.bytes().asSlice(part.inWindow(), part.bytes()).asByteBuffer());
        }
    }

    private void add(ShardPlan.Part part, ByteBuffer bytes) {
        long at = part.from();
        while (bytes.hasRemaining()) {
            long chunkEnd = Math.min(
                    (at / plan.chunkBytes() + 1) * plan.chunkBytes(),
                    part.entry().bytes());
            int count = (int) Math.min(chunkEnd - at, bytes.remaining());
            chunk.update(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            at += count;
            if (at == chunkEnd) {
                digits.append(HexFormat.of().toHexDigits((int) chunk.getValue()));
                chunk.reset();
            }
        }
        if (at == part.entry().bytes()) {
            pieces.add(digits.toString());
            digits.setLength(0);
        }
    }

    /** Of the plan's entries, in order, once all windows were added. */
    List<String> ofEntries() {
        return List.copyOf(pieces);
    }
}
