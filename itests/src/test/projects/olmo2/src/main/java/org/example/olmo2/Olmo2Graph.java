package org.example.olmo2;

import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.transformer.block.Decoder;
import io.hirundo.lib.transformer.block.OptionCheck;
import io.hirundo.lib.transformer.block.RotaryFrequencies;
import io.hirundo.model.Activation;
import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerProviders;
import java.util.ArrayList;
import java.util.List;

/**
 * The layer graph of OLMo 2 (OLMo Team 2024, arXiv 2501.00656): norms after attention and MLP in place of before, and norms of all
 * queries and of all keys.
 *
 * @param ends declares and builds the embedding and the head, which are those of Llama
 */
record Olmo2Graph(Decoder ends) implements Architecture, LayerProviders {
    private static final OptionCheck CHECK = new OptionCheck(Olmo2Factory.NAME);

    /** Rejects options that cannot make a model. */
    static Olmo2Graph of(Olmo2Options o) {
        var sizes = new Decoder.Sizes(
                o.vocabSize(),
                o.hiddenSize(),
                o.intermediateSize(),
                o.numHiddenLayers(),
                o.maxPositionEmbeddings(),
                o.rmsNormEps(),
                o.tieWordEmbeddings(),
                o.initializerRange());
        CHECK.sizes(sizes);
        CHECK.require("ropeTheta", o.ropeTheta(), OptionCheck.isPositive(o.ropeTheta()), "above 0");
        Heads heads = CHECK.heads(o.numAttentionHeads(), o.numKeyValueHeads(), o.headDim(), o.hiddenSize());
        return new Olmo2Graph(
                new Decoder(sizes, heads, RotaryFrequencies.of(heads.dim(), o.ropeTheta()), Decoder.Features.NONE));
    }

    Heads heads() {
        return ends.heads();
    }

    @Override
    public ModelSpec describe() {
        ModelSpec llama = ends.describe();
        var blocks = new ArrayList<BlockSpec>();
        blocks.add(llama.blocks().getFirst());
        for (int layer = 0; layer < ends.sizes().layers(); layer++) {
            blocks.add(layer(layer));
        }
        blocks.add(llama.blocks().getLast());
        return new ModelSpec(llama.vocabulary(), llama.hidden(), ends.sizes().maximumPositions(), blocks);
    }

    private BlockSpec layer(int layer) {
        Decoder.Sizes sizes = ends.sizes();
        String name = "model.layers." + layer;
        String attn = name + ".self_attn.";
        String mlp = name + ".mlp.";
        var initialization = Initialization.normal(sizes.initializerRange());
        var residual = Initialization.normal(sizes.initializerRange() / Math.sqrt(2.0 * sizes.layers()));
        var attention = new LayerSpec.Attention(
                name + ".self_attn", heads(), ends.inverseFrequencies(), sizes.maximumPositions());
        List<Dim> inner = List.of(Dims.inner(sizes.intermediate()));
        List<LinearPart> qkv = List.of(
                new LinearPart(attn + "q_proj.weight", attention.query()),
                new LinearPart(attn + "k_proj.weight", attention.keyValue()),
                new LinearPart(attn + "v_proj.weight", attention.keyValue()));
        List<LinearPart> gateUp =
                List.of(new LinearPart(mlp + "gate_proj.weight", inner), new LinearPart(mlp + "up_proj.weight", inner));
        return new BlockSpec(
                layer + 1,
                name,
                List.of(
                        LayerSpec.Linear.fromResidual(attn + "qkv", qkv, sizes.hidden(), initialization),
                        new Olmo2RowNorm(attn + "q_norm.weight", Activation.inside(attention.query()), sizes.epsilon()),
                        new Olmo2RowNorm(
                                attn + "k_norm.weight", Activation.inside(attention.keyValue()), sizes.epsilon()),
                        attention,
                        LayerSpec.Linear.toResidual(
                                attn + "o_proj", attn + "o_proj.weight", attention.query(), sizes.hidden(), residual),
                        norm(name + ".post_attention_layernorm.weight"),
                        LayerSpec.Linear.fromResidual(mlp + "gate_up", gateUp, sizes.hidden(), initialization),
                        new LayerSpec.GatedMlp(name + ".mlp", sizes.intermediate()),
                        LayerSpec.Linear.toResidual(
                                mlp + "down_proj", mlp + "down_proj.weight", inner, sizes.hidden(), residual),
                        norm(name + ".post_feedforward_layernorm.weight")));
    }

    private LayerSpec.Norm norm(String path) {
        return new LayerSpec.Norm(
                path, Activation.residual(ends.sizes().hidden()), ends.sizes().epsilon());
    }

    @Override
    public List<LayerProvider<?, ?>> providers() {
        return List.of(new Olmo2RowNorm.Provider());
    }

    @Override
    public Block build(BlockSpec block, LayerFactory layers) {
        List<LayerSpec<?>> specs = block.layers();
        if (specs.size() <= 2) {
            return ends.build(block, layers);
        }
        return new Olmo2Block(
                layers.create((LayerSpec.Linear) specs.get(0)),
                layers.create((Olmo2RowNorm) specs.get(1)),
                layers.create((Olmo2RowNorm) specs.get(2)),
                layers.create((LayerSpec.Attention) specs.get(3)),
                layers.create((LayerSpec.Linear) specs.get(4)),
                layers.create((LayerSpec.Norm) specs.get(5)),
                layers.create((LayerSpec.Linear) specs.get(6)),
                layers.create((LayerSpec.GatedMlp) specs.get(7)),
                layers.create((LayerSpec.Linear) specs.get(8)),
                layers.create((LayerSpec.Norm) specs.get(9)));
    }
}
