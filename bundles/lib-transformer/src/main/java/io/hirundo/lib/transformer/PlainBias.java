package io.hirundo.lib.transformer;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.BiasLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LayerScope;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * Biases of whatever rows and channels this rank has.
 *
 * @param kernels of the device
 * @param parameters a vector for each section of the row, in their order; belong to the caller
 */
public record PlainBias(BiasKernels kernels, List<Parameter> parameters) implements BiasLayer {
    /**
     * The bias of one rank.
     *
     * @throws ConfigurationException if the device has no kernels for it
     */
    public static PlainBias of(LayerSpec.Bias spec, LayerScope scope) {
        var kernels = scope.device()
                .kernels()
                .find(BiasKernels.class)
                .orElseThrow(() -> new ConfigurationException(
                        "device: " + scope.device().info().name() + " has no BiasKernels, which layer " + spec.name()
                                + " needs; choose a device that has, cpu for instance"));
        return new PlainBias(
                kernels, spec.weights().stream().map(scope::parameter).toList());
    }

    @Override
    public void forward(StepContext context, Tensor xTN) {
        long column = 0;
        for (Parameter bias : parameters) {
            kernels.add(context.queue(), bias.value(), xTN, column);
            column += bias.spec().shape().elements();
        }
    }

    @Override
    public void backwardWeight(StepContext context, Tensor dyTN) {
        long column = 0;
        for (Parameter bias : parameters) {
            kernels.addColumnSums(context.queue(), dyTN, column, bias.gradient());
            column += bias.spec().shape().elements();
        }
    }
}
