package io.hirundo.model.layer;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ProviderType;

/** The step that a layer runs in. */
@ProviderType
public interface StepContext {
    Device device();

    Queue queue();

    MicroBatch batch();

    Recompute recompute();

    /** FP64 accumulator of shape [1]. */
    Tensor lossSum();

    /**
     * FP64 accumulator of shape [1] for the values of a loss term.
     *
     * @throws UnsupportedOperationException if the step has no sums of loss terms
     */
    default Tensor lossSum(LossTerm term) {
        throw withoutTerms(term);
    }

    /**
     * Factor of a term's gradient: its coefficient over the tokens or the sequences of the global batch, as {@link LossTerm#per} says.
     *
     * @throws UnsupportedOperationException if the step has no sums of loss terms
     */
    default double gradientScale(LossTerm term) {
        throw withoutTerms(term);
    }

    private static UnsupportedOperationException withoutTerms(LossTerm term) {
        return new UnsupportedOperationException("loss term " + term.name()
                + ": this step sums no loss terms; declare the term in LayerSpec.lossTerms()");
    }

    /** Factor of each token's gradient: 1 / (unmasked tokens of the global batch). */
    double gradientScale();

    /** Activation dtype of the precision strategy. */
    DType activationType();

    /** Allocates an activation of {@link #activationType}; the caller owns it. */
    Tensor allocate(Shape shape);

    /** Allocates FP32 statistics of an activation (FP64 with FP64 activations); the caller owns the tensor. */
    Tensor allocateStatistics(Shape shape);
}
