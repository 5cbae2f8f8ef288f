package io.hirundo.checkpointdcp.internal.benchmark;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice.HostTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A rank's share of a state: tensors of equal size, cut along their first dimension where there are several ranks. */
record BenchmarkState(List<StateShard> shards) {
    private static final int TENSORS = 64;

    /** {@code bytes}: of all ranks together. The pages are touched. */
    static BenchmarkState of(Arena arena, long bytes, int rank, int ranks) {
        Shape whole = Shape.of(bytes / TENSORS / Float.BYTES);
        Shape piece = Shape.of(whole.elements() / ranks);
        var shards = new ArrayList<StateShard>();
        for (int index = 0; index < TENSORS; index++) {
            MemorySegment memory =
                    arena.allocate(piece.byteSize(DType.FP32), 64).fill((byte) (index + 1));
            var tensor = new HostTensor(memory, piece, DType.FP32);
            shards.add(new StateShard("tensor-" + index, whole, List.of(rank * piece.elements()), tensor, 0));
        }
        return new BenchmarkState(List.copyOf(shards));
    }

    TrainingState at(long step) {
        return new TrainingState(step, shards, Map.of());
    }
}
