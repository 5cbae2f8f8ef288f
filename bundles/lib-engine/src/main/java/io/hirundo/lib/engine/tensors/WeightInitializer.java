package io.hirundo.lib.engine.tensors;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/**
 * Initial weights, the same in every layout: an element's place in the full tensor determines its value, not the rank or thread that
 * computes it. All processors fill one chunk while the previous one is copied to the device; the host holds at most two chunks.
 */
public final class WeightInitializer {
    private static final long CHUNK_BYTES = 16L << 20;

    private final long seed;
    private final long chunkBytes;

    public WeightInitializer(long seed) {
        this(seed, CHUNK_BYTES);
    }

    /**
     * @param chunkBytes size of a chunk
     */
    WeightInitializer(long seed, long chunkBytes) {
        this.seed = seed;
        this.chunkBytes = chunkBytes;
    }

    /** Fills the parameters' values. */
    public void initialize(Device device, Queue queue, List<? extends Parameter> parameters) {
        List<InitialChunk> chunks = parameters.stream().flatMap(this::chunks).toList();
        long longestBytes = chunks.stream()
                .mapToLong(chunk -> chunk.target().byteSize())
                .max()
                .orElse(0);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment[] hosts = {arena.allocate(longestBytes, 64), arena.allocate(longestBytes, 64)};
            for (int i = 0; i <= chunks.size(); i++) {
                try (var _ = i < chunks.size() ? chunks.get(i).begin(hosts[i % 2]) : null) {
                    if (i > 0) {
                        device.transfer()
                                .uploadAtOnce(
                                        queue,
                                        hosts[(i - 1) % 2],
                                        chunks.get(i - 1).target());
                    }
                }
            }
        }
    }

    private Stream<InitialChunk> chunks(Parameter parameter) {
        long mostElements = chunkBytes / parameter.value().dtype().byteSize();
        return OwnedSlices.of(parameter, mostElements).stream().map(piece -> {
            var values = new InitialValues(
                    piece.part().path(), seed, parameter.spec().initialization());
            return new InitialChunk(piece.part(), values, piece.in(parameter.value()));
        });
    }
}
