package io.hirundo.testkit.layer;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.Tokens;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Set;

/**
 * A third party's kind of layer, which has methods for mutants to override: multiplies the channels of each head by the same vector, as
 * a norm on heads does.
 */
class HeadScale implements LayerSpec<HeadScale.Running> {
    static final int HEADS = 4;
    static final int DIM = 3;
    private static final Activation HEAD_ROWS = Activation.inside(List.of(Dims.queryHeads(HEADS), Dims.head(DIM)));

    /** What the weight is declared to be applied to. */
    Activation on() {
        return HEAD_ROWS;
    }

    double flops() {
        return 0;
    }

    @Override
    public Set<Dim> mixes() {
        return Set.of();
    }

    @Override
    public String name() {
        return "scale";
    }

    @Override
    public List<Activation> inputs() {
        return List.of(HEAD_ROWS);
    }

    @Override
    public List<Activation> outputs() {
        return List.of(HEAD_ROWS);
    }

    @Override
    public List<WeightSpec> weights() {
        return List.of(weight(Initialization.ONES));
    }

    WeightSpec weight(Initialization initialization) {
        return new WeightSpec(
                "scale.weight", List.of(List.of(Dims.head(DIM))), on(), WeightSpec.Use.VECTOR, initialization);
    }

    @Override
    public double modelFlops(Tokens tokens) {
        return flops();
    }

    /** {@code y = x w} for each head. */
    static class Running implements Layer {
        private final Parameter weightD;

        Running(Parameter weightD) {
            this.weightD = weightD;
        }

        @Override
        public List<Parameter> parameters() {
            return List.of(weightD);
        }

        Tensor allocate(StepContext context, Tensor like) {
            return context.allocate(like.shape());
        }

        Tensor forward(StepContext context, Tensor x) {
            return scaled(context, x);
        }

        Tensor backwardInput(StepContext context, Tensor dy) {
            return scaled(context, dy);
        }

        Tensor scaled(StepContext context, Tensor x) {
            Tensor y = allocate(context, x);
            context.device().kernels().elementwise().copy(context.queue(), x, y);
            for (long head = 0; head < y.elements() / DIM; head++) {
                arithmetic(context)
                        .multiply(
                                context.queue(),
                                weightD.value(),
                                y.view(head * DIM, weightD.value().shape()));
            }
            return y;
        }

        /** {@code dw += sum over tokens and heads of dy x}. */
        void backwardWeight(StepContext context, Tensor dy, Tensor x) {
            Queue queue = context.queue();
            try (Tensor products = context.allocate(x.shape())) {
                context.device().kernels().elementwise().copy(queue, x, products);
                arithmetic(context).multiply(queue, dy, products);
                for (long head = 0; head < x.elements() / DIM; head++) {
                    Tensor rowD = products.view(head * DIM, gradient().shape());
                    context.device().kernels().elementwise().add(queue, rowD, gradient());
                }
            }
        }

        Tensor gradient() {
            return weightD.gradient();
        }

        private static ArithmeticKernels arithmetic(StepContext context) {
            return context.device().kernels().arithmetic().orElseThrow();
        }
    }

    /** As a block calls it. */
    static class Drive implements LayerDrive<Running> {
        @Override
        public List<Tensor> forward(Running layer, StepContext context, List<Tensor> inputs) {
            return List.of(layer.forward(context, inputs.getFirst()));
        }

        @Override
        public Passed train(Running layer, StepContext context, List<Tensor> inputs, List<Tensor> outputGradients) {
            Tensor y = layer.forward(context, inputs.getFirst());
            layer.backwardWeight(context, outputGradients.getFirst(), inputs.getFirst());
            return new Passed(List.of(y), List.of(layer.backwardInput(context, outputGradients.getFirst())));
        }
    }
}
