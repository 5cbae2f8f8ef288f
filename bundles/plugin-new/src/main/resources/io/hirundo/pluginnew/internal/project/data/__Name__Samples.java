package __package__;

import io.hirundo.DataException;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Slices of a file at offsets that depend on seed and index only: identical in a resumed run, and for any thread and order. Offsets are
 * drawn with replacement, so there are as many samples as the run requests.
 */
final class __Name__Samples implements SampleSet {
    private final Path file;
    private final Arena arena;
    private final MemorySegment bytes;
    private final SampleRequest request;

    /** Offset in bytes where training data ends and validation data starts. */
    private final long border;

    __Name__Samples(Path file, Arena arena, MemorySegment bytes, double validation, SampleRequest request) {
        this.file = file;
        this.arena = arena;
        this.bytes = bytes;
        this.request = request;
        this.border = bytes.byteSize() - (long) (validation * bytes.byteSize());
        if (border <= request.sequenceTokens()) {
            throw new DataException(file + " has " + border + " bytes to train on, but a sample alone needs "
                    + (request.sequenceTokens() + 1) + "; name a larger file or lower training.sequenceTokens");
        }
    }

    /** Without room for a single sample at the file's end, there is no validation. */
    @Override
    public long count(Split split) {
        if (split == Split.TRAINING) {
            return request.trainingSamples();
        }
        return places(split) > 0 ? request.validationSamples() : 0;
    }

    /** The number of offsets where a sample can start. */
    private long places(Split split) {
        long length = split == Split.TRAINING ? border : bytes.byteSize() - border;
        return Math.max(0, length - request.sequenceTokens());
    }

    @Override
    public void read(Split split, long index, int[] into) {
        Objects.checkIndex(index, count(split));
        long first = split == Split.TRAINING ? 0 : border;
        long begin = first + Long.remainderUnsigned(mixed(request.seed() * 31 + split.ordinal(), index), places(split));
        for (int i = 0; i < into.length; i++) {
            into[i] = Byte.toUnsignedInt(bytes.get(ValueLayout.JAVA_BYTE, begin + i));
        }
    }

    /** The output of SplitMix64 (Steele, Lea and Flood 2014) at an index of its sequence. */
    private static long mixed(long seed, long place) {
        long z = seed * 0x2545f4914f6cdd1dL + (place + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    @Override
    public int vocabularyBound() {
        return 256;
    }

    @Override
    public String describe() {
        return file + ": " + bytes.byteSize() + " bytes, of which " + (bytes.byteSize() - border) + " for validation";
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
