package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Gives each of a block's smaller blocks its scale. Quantized values stay as they are, so the moment is exactly the same.
 *
 * @param former scales of blocks that are a multiple of the current ones
 * @param current scales
 */
record ScaleConversion(StateSpec former, StateSpec current) implements StateConversion {
    @Override
    public List<StateSpec> from() {
        return List.of(former);
    }

    @Override
    public List<StateSpec> to() {
        return List.of(current);
    }

    @Override
    public void convert(long elements, List<MemorySegment> from, List<MemorySegment> to) {
        for (long block = 0; block < elements / current.block(); block++) {
            // Bits, because a scale may be NaN.
            int scale = from.getFirst()
                    .get(ValueLayout.JAVA_INT_UNALIGNED, block * current.block() / former.block() * Float.BYTES);
            to.getFirst().set(ValueLayout.JAVA_INT_UNALIGNED, block * Float.BYTES, scale);
        }
    }
}
