package io.hirundo.testkit.layer;

import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.Activation;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.parameter.Initialization;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A tiny layer of each kind of the API, and of each way to split it. A tensor-parallel or context-parallel strategy that keeps {@link
 * io.hirundo.testkit.LayerContract} with all of them computes what one rank computes.
 */
public enum LayerKind {
    /** Three parts of one fused row; four ranks share two key/value heads. */
    QUERY_KEY_VALUE_PROJECTION(
            LayerSpec.Linear.fromResidual(
                    "qkv",
                    List.of(
                            new LinearPart("q.weight", Sizes.QUERY),
                            new LinearPart("k.weight", Sizes.KEY),
                            new LinearPart("v.weight", Sizes.KEY)),
                    Sizes.HIDDEN,
                    Sizes.NORMAL),
            LayerDrives.linear()),
    /** Back to the residual stream: ranks have partial sums. */
    OUTPUT_PROJECTION(
            LayerSpec.Linear.toResidual("o", "o.weight", Sizes.QUERY, Sizes.HIDDEN, Sizes.NORMAL),
            LayerDrives.linear()),
    /** Both halves of the backward on their own, as zero-bubble schedules call them. */
    DOWN_PROJECTION_IN_HALVES(
            LayerSpec.Linear.toResidual(
                    "down", "down.weight", List.of(Dims.inner(Sizes.INNER)), Sizes.HIDDEN, Sizes.NORMAL),
            LayerDrives.linearInHalves()),
    /** On channels that ranks split. */
    BIAS_OF_QUERY_KEY_VALUE(
            new LayerSpec.Bias(
                    "qkv.bias",
                    List.of("q.bias", "k.bias", "v.bias"),
                    Activation.inside(Sizes.QUERY, Sizes.KEY, Sizes.KEY)),
            LayerDrives.bias()),
    /** On channels that every rank has. */
    BIAS_OF_RESIDUAL_STREAM(new LayerSpec.Bias("o.bias", Activation.residual(Sizes.HIDDEN)), LayerDrives.bias()),
    /** Scales by 1 + w. */
    NORM_OF_RESIDUAL_STREAM(
            new LayerSpec.Norm("norm.weight", Activation.residual(Sizes.HIDDEN), 1e-5, 1),
            LayerDrives.norm(Sizes.HIDDEN)),
    /** Adds to the residual stream, then normalizes it. */
    NORM_OF_SUM(
            new LayerSpec.Norm("norm.weight", Activation.residual(Sizes.HIDDEN), 1e-5),
            LayerDrives.residualNorm(Sizes.HIDDEN)),
    /** Of heads that ranks split. */
    NORM_OF_KEYS(
            new LayerSpec.Norm("k_norm.weight", Activation.inside(Sizes.KEY), 1e-5),
            LayerDrives.norm(Sizes.HEADS.dim())),
    GATED_MLP(new LayerSpec.GatedMlp("mlp", Sizes.INNER, GateActivation.GELU_TANH), LayerDrives.gatedMlp()),
    /** With a window and a soft cap. */
    ATTENTION(
            new LayerSpec.Attention(
                    "attention",
                    Sizes.HEADS,
                    List.of(1.0, 0.3),
                    8,
                    AttentionOptions.NONE.withSoftCap(2).withWindow(3)),
            LayerDrives.attention()),
    /** Scaled. */
    EMBEDDING(
            new LayerSpec.Embedding("embed.weight", Sizes.VOCABULARY, Sizes.HIDDEN, Sizes.NORMAL, 2.5),
            LayerDrives.embedding()),
    /** With a soft cap. */
    LOSS_HEAD(
            new LayerSpec.LossHead("head.weight", Sizes.VOCABULARY, Sizes.HIDDEN, Sizes.NORMAL, OptionalDouble.of(3)),
            LayerDrives.lossHead());

    /** Extents that two, three and four ranks divide, as far as their dimensions admit. */
    private static final class Sizes {
        static final Initialization NORMAL = Initialization.normal(0.02);
        static final long HIDDEN = 6;
        static final long INNER = 12;
        static final long VOCABULARY = 12;
        static final Heads HEADS = new Heads(4, 2, 4);
        static final Dim QUERY_HEADS = Dims.queryHeads(HEADS.query());
        static final List<Dim> QUERY = List.of(QUERY_HEADS, Dims.head(HEADS.dim()));
        static final List<Dim> KEY = List.of(Dims.keyValueHeads(HEADS.keyValue(), QUERY_HEADS), Dims.head(HEADS.dim()));
    }

    private final LayerCase<?> layer;

    <L extends Layer> LayerKind(LayerSpec<L> spec, LayerDrive<L> drive) {
        this.layer = new LayerCase<>(spec, drive);
    }

    /** The layer, for {@link LayerOffer#layer}. */
    public LayerCase<?> layer() {
        return layer;
    }
}
