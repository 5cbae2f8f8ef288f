package io.hirundo.lib.transformer;

import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.function.Consumer;

/**
 * The factor between the rows of an embedding table and the residual stream.
 *
 * @param factor 1 for rows as they are, which costs nothing
 */
public record EmbeddingScale(double factor) {
    /** Scales embedded tokens, in place. */
    public void apply(StepContext context, Tensor yTC) {
        if (factor != 1) {
            context.device().kernels().elementwise().scale(context.queue(), yTC, factor);
        }
    }

    /** Lends the gradient of the rows to work that reads it. The gradient of the embedded tokens stays as it is. */
    public void withGradient(StepContext context, Tensor dyTC, Consumer<Tensor> work) {
        if (factor == 1) {
            work.accept(dyTC);
            return;
        }
        try (Tensor scaledTC = context.allocate(dyTC.shape())) {
            context.device().kernels().elementwise().copy(context.queue(), dyTC, scaledTC);
            context.device().kernels().elementwise().scale(context.queue(), scaledTC, factor);
            work.accept(scaledTC);
        }
    }
}
