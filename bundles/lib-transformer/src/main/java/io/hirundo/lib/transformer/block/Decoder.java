package io.hirundo.lib.transformer.block;

import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.Activation;
import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.Initialization;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A decoder of the kind of Llama under Hugging Face's tensor names: RMSNorm, rotary grouped-query attention, gated MLP. Families choose
 * biases, norms and options of layers.
 *
 * @param sizes of the model
 * @param heads of the attention
 * @param inverseFrequencies of the rotary embedding, see {@link LayerSpec.Attention}
 * @param features that not all families have
 * @param style what layers compute
 */
public record Decoder(Sizes sizes, Heads heads, List<Double> inverseFrequencies, Features features, Style style)
        implements Architecture {
    private static final String EMBEDDING = "model.embed_tokens";

    /**
     * Sizes of a model.
     *
     * @param vocabulary V
     * @param hidden C
     * @param intermediate F
     * @param layers transformer blocks
     * @param maximumPositions longest sequence, in tokens
     * @param epsilon of every norm
     * @param tied whether the output projection shares the embedding's weight
     * @param initializerRange standard deviation of initial matrices; projections into the residual stream, which sums two per block, get it
     *     divided by {@code sqrt(2 layers)}, as in Megatron-LM
     */
    public record Sizes(
            int vocabulary,
            int hidden,
            int intermediate,
            int layers,
            int maximumPositions,
            double epsilon,
            boolean tied,
            double initializerRange) {}

    /**
     * What not all families have.
     *
     * @param headNorms norms of the heads of queries and keys
     * @param qkvBias biases of the projections to queries, keys and values
     * @param outputBias bias of the attention's output projection
     * @param mlpBias biases of the three projections of the MLP
     */
    public record Features(boolean headNorms, boolean qkvBias, boolean outputBias, boolean mlpBias) {
        /** As in Llama: none. */
        public static final Features NONE = new Features(false, false, false, false);
    }

    /**
     * What layers compute.
     *
     * @param outputNorms whether what each half of a block adds to the residual stream is normalized. The norm before the MLP is then named
     *     {@code pre_feedforward_layernorm}, as in Gemma 2
     * @param weightOffset what norms add to their weights
     * @param embeddingScale factor of embeddings
     * @param logitCap soft cap of logits
     * @param attention options of attention, block after block; repeated if there are more blocks
     */
    public record Style(
            boolean outputNorms,
            double weightOffset,
            GateActivation activation,
            double embeddingScale,
            OptionalDouble logitCap,
            List<AttentionOptions> attention) {
        /** As in Llama. */
        public static final Style PLAIN =
                new Style(false, 0, GateActivation.SILU, 1, OptionalDouble.empty(), List.of(AttentionOptions.NONE));

        public Style {
            attention = List.copyOf(attention);
        }

        /** The same with other options of attention. */
        public Style with(List<AttentionOptions> others) {
            return new Style(outputNorms, weightOffset, activation, embeddingScale, logitCap, others);
        }
    }

    /** In Llama's style. */
    public Decoder(Sizes sizes, Heads heads, List<Double> inverseFrequencies, Features features) {
        this(sizes, heads, inverseFrequencies, features, Style.PLAIN);
    }

    public Decoder {
        inverseFrequencies = List.copyOf(inverseFrequencies);
    }

    @Override
    public ModelSpec describe() {
        var blocks = new ArrayList<BlockSpec>();
        blocks.add(new BlockSpec(0, EMBEDDING, List.of(embedding())));
        for (int layer = 0; layer < sizes.layers(); layer++) {
            String name = "model.layers." + layer;
            var layers = new ArrayList<LayerSpec<?>>();
            addAttention(
                    layers,
                    name,
                    style.attention().get(layer % style.attention().size()));
            addMlp(layers, name, name + ".mlp");
            blocks.add(new BlockSpec(blocks.size(), name, layers));
        }
        blocks.add(new BlockSpec(blocks.size(), "lm_head", List.of(norm("model.norm", residualStream()), head())));
        return new ModelSpec(sizes.vocabulary(), sizes.hidden(), sizes.maximumPositions(), blocks);
    }

    private Initialization matrix() {
        return Initialization.normal(sizes.initializerRange());
    }

    private Activation residualStream() {
        return Activation.residual(sizes.hidden());
    }

    private LayerSpec<?> embedding() {
        return new LayerSpec.Embedding(
                weight(EMBEDDING), sizes.vocabulary(), sizes.hidden(), matrix(), style.embeddingScale());
    }

    private LayerSpec<?> head() {
        String path = weight(sizes.tied() ? EMBEDDING : "lm_head");
        return new LayerSpec.LossHead(path, sizes.vocabulary(), sizes.hidden(), matrix(), style.logitCap());
    }

    private void addAttention(List<LayerSpec<?>> layers, String block, AttentionOptions options) {
        String name = block + ".self_attn";
        var attention = new LayerSpec.Attention(name, heads, inverseFrequencies, sizes.maximumPositions(), options);
        layers.add(norm(block + ".input_layernorm", residualStream()));
        addFused(
                layers,
                name + ".qkv",
                List.of(name + ".q_proj", name + ".k_proj", name + ".v_proj"),
                List.of(attention.query(), attention.keyValue(), attention.keyValue()),
                features.qkvBias());
        if (features.headNorms()) {
            layers.add(norm(name + ".q_norm", Activation.inside(attention.query())));
            layers.add(norm(name + ".k_norm", Activation.inside(attention.keyValue())));
        }
        layers.add(attention);
        addToResidual(layers, name + ".o_proj", attention.query(), features.outputBias());
        if (style.outputNorms()) {
            layers.add(norm(block + ".post_attention_layernorm", residualStream()));
        }
    }

    private void addMlp(List<LayerSpec<?>> layers, String block, String name) {
        List<Dim> inner = List.of(Dims.inner(sizes.intermediate()));
        layers.add(norm(
                block + (style.outputNorms() ? ".pre_feedforward_layernorm" : ".post_attention_layernorm"),
                residualStream()));
        addFused(
                layers,
                name + ".gate_up",
                List.of(name + ".gate_proj", name + ".up_proj"),
                List.of(inner, inner),
                features.mlpBias());
        layers.add(new LayerSpec.GatedMlp(name, sizes.intermediate(), style.activation()));
        addToResidual(layers, name + ".down_proj", inner, features.mlpBias());
        if (style.outputNorms()) {
            layers.add(norm(block + ".post_feedforward_layernorm", residualStream()));
        }
    }

    private void addFused(
            List<LayerSpec<?>> layers, String name, List<String> parts, List<List<Dim>> rows, boolean isBiased) {
        var linearParts = new ArrayList<LayerSpec.LinearPart>();
        for (int part = 0; part < parts.size(); part++) {
            linearParts.add(new LayerSpec.LinearPart(weight(parts.get(part)), rows.get(part)));
        }
        var linear = LayerSpec.Linear.fromResidual(name, linearParts, sizes.hidden(), matrix());
        layers.add(linear);
        if (isBiased) {
            layers.add(new LayerSpec.Bias(
                    bias(name), parts.stream().map(Decoder::bias).toList(), linear.output()));
        }
    }

    private void addToResidual(List<LayerSpec<?>> layers, String name, List<Dim> inputs, boolean isBiased) {
        var initialization = Initialization.normal(sizes.initializerRange() / Math.sqrt(2.0 * sizes.layers()));
        layers.add(LayerSpec.Linear.toResidual(name, weight(name), inputs, sizes.hidden(), initialization));
        if (isBiased) {
            layers.add(new LayerSpec.Bias(bias(name), residualStream()));
        }
    }

    private LayerSpec<?> norm(String name, Activation on) {
        return new LayerSpec.Norm(weight(name), on, sizes.epsilon(), style.weightOffset());
    }

    private static String weight(String name) {
        return name + ".weight";
    }

    private static String bias(String name) {
        return name + ".bias";
    }

    @Override
    public Block build(BlockSpec block, LayerFactory layers) {
        return DecoderBlocks.build(block, layers, features, style.outputNorms(), heads.dim());
    }
}
