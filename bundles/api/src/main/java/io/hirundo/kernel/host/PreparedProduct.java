package io.hirundo.kernel.host;

import org.osgi.annotation.versioning.ConsumerType;

/** A product of one shape, ready to run. Thread-safe; closed by its owner, when nothing runs it any more. */
@ConsumerType
public interface PreparedProduct extends AutoCloseable {
    /** Scratch memory that each running thread must lend. */
    long scratchBytes();

    /**
     * Multiplies on the calling thread alone. The addresses must be valid for the shape and strides of {@link TileProduct}.
     *
     * @param a address of the first element of the stored a
     * @param b of b
     * @param c of c; its memory must not overlap that of a and b
     * @param scratch of {@link #scratchBytes} bytes, a multiple of 64
     * @throws io.hirundo.DeviceException if the library fails
     */
    void run(long a, long b, long c, long scratch);

    @Override
    void close();
}
