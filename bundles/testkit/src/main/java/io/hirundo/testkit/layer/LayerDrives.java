package io.hirundo.testkit.layer;

import io.hirundo.model.layer.AttentionLayer;
import io.hirundo.model.layer.BiasLayer;
import io.hirundo.model.layer.EmbeddingLayer;
import io.hirundo.model.layer.GatedMlpLayer;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.LinearLayer;
import io.hirundo.model.layer.LossHeadLayer;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/** How blocks call the layers of the API. */
public final class LayerDrives {
    private LayerDrives() {}

    /** With {@link LinearLayer#backward}. */
    public static LayerDrive<LinearLayer> linear() {
        return new Drive<>(
                (layer, context, x) -> layer.forward(context, x),
                (layer, context, x, dy) -> new Pass(layer.forward(context, x), layer.backward(context, dy, x)));
    }

    /** With the two halves of the backward, as zero-bubble schedules run them. */
    public static LayerDrive<LinearLayer> linearInHalves() {
        return new Drive<>((layer, context, x) -> layer.forward(context, x), (layer, context, x, dy) -> {
            Tensor y = layer.forward(context, x);
            Tensor dx = layer.backwardInput(context, dy);
            layer.backwardWeight(context, dy, x);
            return new Pass(y, dx);
        });
    }

    /** The vectors are added to a copy. */
    public static LayerDrive<BiasLayer> bias() {
        return new Drive<>(LayerDrives::biased, (layer, context, x, dy) -> {
            Tensor y = biased(layer, context, x);
            layer.backwardWeight(context, dy);
            return new Pass(y, copy(context, dy));
        });
    }

    private static Tensor biased(BiasLayer layer, StepContext context, Tensor x) {
        Tensor y = copy(context, x);
        layer.forward(context, y);
        return y;
    }

    private static Tensor copy(StepContext context, Tensor x) {
        Tensor copy = context.allocate(x.shape());
        context.device().kernels().elementwise().copy(context.queue(), x, copy);
        return copy;
    }

    /**
     * Without residual connection.
     *
     * @param channels of the rows that it normalizes: C, or D for heads
     */
    public static LayerDrive<NormLayer> norm(long channels) {
        return new Drive<>(
                (layer, context, x) -> {
                    NormLayer.Normalized out = layer.forward(context, rows(x, channels));
                    out.inverseRmsT().close();
                    return out.yTC();
                },
                (layer, context, x, dy) -> {
                    Tensor xRows = rows(x, channels);
                    Tensor dyRows = rows(dy, channels);
                    NormLayer.Normalized out = layer.forward(context, xRows);
                    Tensor dx = layer.backwardInput(context, dyRows, xRows, out.inverseRmsT(), null);
                    layer.backwardWeight(context, dyRows, xRows, out.inverseRmsT());
                    out.inverseRmsT().close();
                    return new Pass(out.yTC(), dx);
                });
    }

    /**
     * With residual connection: of half of the input plus the other half. Its gradient is computed with that of a residual connection, which
     * is subtracted again, and training recomputes the output, as selective recomputation does.
     *
     * @param channels of the rows that it normalizes
     */
    public static LayerDrive<NormLayer> residualNorm(long channels) {
        return new Drive<>(
                (layer, context, x) -> {
                    try (Tensor half = half(context, rows(x, channels));
                            Tensor sum = half(context, rows(x, channels))) {
                        NormLayer.Normalized out = layer.addForward(context, half, sum);
                        out.inverseRmsT().close();
                        return out.yTC();
                    }
                },
                (layer, context, x, dy) -> {
                    Tensor dyRows = rows(dy, channels);
                    try (Tensor half = half(context, rows(x, channels));
                            Tensor sum = half(context, rows(x, channels))) {
                        NormLayer.Normalized out = layer.addForward(context, half, sum);
                        out.yTC().close();
                        Tensor y = layer.reapply(context, sum, out.inverseRmsT());
                        Tensor dx = layer.backwardInput(context, dyRows, sum, out.inverseRmsT(), half);
                        layer.backwardWeight(context, dyRows, sum, out.inverseRmsT());
                        out.inverseRmsT().close();
                        context.device().kernels().elementwise().scale(context.queue(), half, -1);
                        context.device().kernels().elementwise().add(context.queue(), half, dx);
                        return new Pass(y, dx);
                    }
                });
    }

    private static Tensor half(StepContext context, Tensor x) {
        Tensor half = copy(context, x);
        context.device().kernels().elementwise().scale(context.queue(), half, 0.5);
        return half;
    }

    private static Tensor rows(Tensor x, long channels) {
        return x.view(0, Shape.of(x.elements() / channels, channels));
    }

    public static LayerDrive<GatedMlpLayer> gatedMlp() {
        return new Drive<>(
                (layer, context, x) -> layer.forward(context, x),
                (layer, context, x, dy) -> new Pass(layer.forward(context, x), layer.backwardInput(context, dy, x)));
    }

    public static LayerDrive<AttentionLayer> attention() {
        return new Drive<>(
                (layer, context, x) -> {
                    AttentionLayer.Attended out = layer.forward(context, x);
                    release(out);
                    return out.outputTHD();
                },
                (layer, context, x, dy) -> {
                    AttentionLayer.Attended out = layer.forward(context, x);
                    Tensor dx = layer.backwardInput(context, dy, out);
                    release(out);
                    return new Pass(out.outputTHD(), dx);
                });
    }

    private static void release(AttentionLayer.Attended out) {
        out.heads().queryBHSD().close();
        out.heads().keyBGSD().close();
        out.heads().valueBGSD().close();
        out.logSumExpBHS().close();
    }

    public static LayerDrive<EmbeddingLayer> embedding() {
        return new Drive<>((layer, context, none) -> layer.forward(context), (layer, context, none, dy) -> {
            Tensor y = layer.forward(context);
            layer.backwardWeight(context, dy);
            return new Pass(y, null);
        });
    }

    public static LayerDrive<LossHeadLayer> lossHead() {
        return new HeadDrive();
    }

    private record HeadDrive() implements LayerDrive<LossHeadLayer> {
        @Override
        public List<Tensor> forward(LossHeadLayer layer, StepContext context, List<Tensor> inputs) {
            layer.forward(context, inputs.getFirst());
            return List.of();
        }

        @Override
        public Optional<Tensor> logits(LossHeadLayer layer, StepContext context, List<Tensor> inputs) {
            return Optional.of(layer.logits(context, inputs.getFirst()));
        }

        @Override
        public Passed train(LossHeadLayer layer, StepContext context, List<Tensor> inputs, List<Tensor> none) {
            return new Passed(List.of(), List.of(layer.forwardBackward(context, inputs.getFirst())));
        }
    }

    private interface Forward<L> {
        Tensor run(L layer, StepContext context, Tensor x);
    }

    private interface Train<L> {
        Pass run(L layer, StepContext context, Tensor x, Tensor dy);
    }

    /** Null where there is none. */
    private record Pass(Tensor output, Tensor inputGradient) {}

    /** Of layers with at most one input and one output. */
    private record Drive<L extends Layer>(Forward<L> forward, Train<L> train) implements LayerDrive<L> {
        @Override
        public List<Tensor> forward(L layer, StepContext context, List<Tensor> inputs) {
            return listOf(forward.run(layer, context, single(inputs)));
        }

        @Override
        public Passed train(L layer, StepContext context, List<Tensor> inputs, List<Tensor> outputGradients) {
            Pass pass = train.run(layer, context, single(inputs), single(outputGradients));
            return new Passed(listOf(pass.output), listOf(pass.inputGradient));
        }

        private static Tensor single(List<Tensor> tensors) {
            return tensors.isEmpty() ? null : tensors.getFirst();
        }

        private static List<Tensor> listOf(Tensor tensor) {
            return tensor == null ? List.of() : List.of(tensor);
        }
    }
}
