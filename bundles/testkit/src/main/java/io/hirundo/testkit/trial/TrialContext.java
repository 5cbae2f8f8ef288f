package io.hirundo.testkit.trial;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.layer.LossTerm;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Map;

/**
 * A step in FP64.
 *
 * @param termSums the sum of each term that layers add to the loss
 */
public record TrialContext(
        Device device,
        Queue queue,
        MicroBatch batch,
        Tensor lossSum,
        Map<LossTerm, Tensor> termSums,
        Recompute recompute)
        implements StepContext {
    /** Any number but 1, so that a layer that forgets it fails. */
    public static final double GRADIENT_SCALE = 0.375;

    private static final double TERM_SCALE = 0.625;

    @Override
    public Tensor lossSum(LossTerm term) {
        Tensor sum = termSums.get(term);
        if (sum == null) {
            throw new AssertionError(
                    "the layer adds to the loss term " + term.name() + ", which its spec does not declare");
        }
        return sum;
    }

    @Override
    public double gradientScale(LossTerm term) {
        return TERM_SCALE * term.coefficient();
    }

    @Override
    public double gradientScale() {
        return GRADIENT_SCALE;
    }

    @Override
    public DType activationType() {
        return DType.FP64;
    }

    @Override
    public Tensor allocate(Shape shape) {
        return device.allocate(MemoryCategory.ACTIVATIONS, shape, DType.FP64);
    }

    @Override
    public Tensor allocateStatistics(Shape shape) {
        return allocate(shape);
    }
}
