package io.hirundo.testkit.fabric;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.function.LongToDoubleFunction;

/** What a test program gets on each rank. Confined to the rank's thread. */
public record Rank(int number, World world, Bench bench) {
    /** All ranks. */
    public ProcessGroup all() {
        return world.along(Axis.values());
    }

    public Queue queue() {
        return bench.queue();
    }

    /** A tensor with undefined values. The bench closes it. */
    public Tensor tensor(DType dtype, long elements) {
        return bench.tensor(dtype, elements);
    }

    /** A tensor with these values, rounded to the dtype. The bench closes it. */
    public Tensor tensor(DType dtype, long elements, LongToDoubleFunction value) {
        return bench.tensor(dtype, value, elements);
    }

    public double[] values(Tensor tensor) {
        return bench.read(tensor);
    }
}
