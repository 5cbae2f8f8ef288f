package io.hirundo.dataloader.internal.sampling;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/** CRC-32 of 32-bit little-endian integers, as the goldens were made. */
public final class Checksum {
    private Checksum() {}

    public static long of(int[] values) {
        var bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(values);
        var checksum = new CRC32();
        checksum.update(bytes);
        return checksum.getValue();
    }
}
