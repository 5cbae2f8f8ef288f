package io.hirundo.checkpointdcp.internal.save;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/** CRC32C of every chunk of every shard in a data file, computed window by window. */
public final class Checksums {
    private final ShardPlan plan;
    private final CRC32C chunk = new CRC32C();
    private final StringBuilder digits = new StringBuilder();
    private final List<String> ofEntries = new ArrayList<>();

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
        long position = part.from();
        while (bytes.hasRemaining()) {
            long chunkEnd = Math.min(
                    (position / plan.chunkBytes() + 1) * plan.chunkBytes(),
                    part.entry().bytes());
            int count = (int) Math.min(chunkEnd - position, bytes.remaining());
            chunk.update(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            position += count;
            if (position == chunkEnd) {
                digits.append(HexFormat.of().toHexDigits((int) chunk.getValue()));
                chunk.reset();
            }
        }
        if (position == part.entry().bytes()) {
            ofEntries.add(digits.toString());
            digits.setLength(0);
        }
    }

    /** One string of hexadecimal digits per entry of the plan, in order. Complete once all windows were added. */
    List<String> ofEntries() {
        return List.copyOf(ofEntries);
    }
}
