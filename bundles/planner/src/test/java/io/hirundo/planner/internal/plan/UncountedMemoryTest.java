package io.hirundo.planner.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Estimates of what a run needs but does not allocate itself. */
class UncountedMemoryTest {
    /** A group for each axis of several ranks, for context and data together, and for all; NCCL's are not part of the sum. */
    @ParameterizedTest
    @CsvSource({"1, 1, 1, 0", "8, 1, 1, 1", "4, 1, 2, 3", "4, 2, 2, 5"})
    void estimatesBuffersOfGroups(int tensor, int context, int data, int groups) {
        var sizes = new LinkedHashMap<>(Map.of(Axis.TENSOR, tensor, Axis.CONTEXT, context, Axis.DATA, data));
        UncountedMemory estimate = UncountedMemory.ofGpu(new Mesh(sizes), 50_000_000_000L);
        assertEquals(groups * 128L << 20, estimate.ncclBytes());
        assertEquals(1_000_000_000, estimate.contextBytes());
        assertEquals(1_000_000_000, estimate.fragmentationBytes());
        assertEquals(2_000_000_000, estimate.bytes());
    }
}
