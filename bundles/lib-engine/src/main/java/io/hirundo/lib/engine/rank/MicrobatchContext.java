package io.hirundo.lib.engine.rank;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** The context of one microbatch. */
public record MicrobatchContext(
        RankDevice rank, MicroBatch batch, Recompute recompute, Tensor lossSum, double gradientScale)
        implements StepContext {

    /**
     * The part that does not change between microbatches.
     *
     * @param device of the rank
     * @param queue for computation
     * @param activationType of the precision strategy
     */
    public record RankDevice(Device device, Queue queue, DType activationType) {}

    @Override
    public Device device() {
        return rank.device();
    }

    @Override
    public Queue queue() {
        return rank.queue();
    }

    @Override
    public DType activationType() {
        return rank.activationType();
    }

    @Override
    public Tensor allocate(Shape shape) {
        return device().allocate(MemoryCategory.ACTIVATIONS, shape, activationType());
    }

    @Override
    public Tensor allocateStatistics(Shape shape) {
        DType dtype = activationType().statisticsType();
        return device().allocate(MemoryCategory.ACTIVATIONS, shape, dtype);
    }
}
