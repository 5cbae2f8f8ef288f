package io.hirundo.modelllama.internal;

import io.hirundo.model.BlockSpec;
import io.hirundo.model.Initialization;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Split;
import java.util.ArrayList;
import java.util.List;

/** Declares the blocks and layers of a Llama, under Hugging Face's tensor names. */
final class LlamaLayout {
  private static final String EMBEDDING = "model.embed_tokens";

  private final LlamaSizes sizes;
  private final LlamaOptions options;
  private final Initialization matrix;

  /** Smaller initialization for projections into the residual stream, which sums two per block; as in Megatron-LM. */
  private final Initialization residual;

  LlamaLayout(LlamaSizes sizes) {
    this.sizes = sizes;
    this.options = sizes.options();
    this.matrix = Initialization.normal(options.initializerRange());
    this.residual = Initialization.normal(options.initializerRange() / Math.sqrt(2.0 * options.numHiddenLayers()));
  }

  ModelSpec model() {
    var blocks = new ArrayList<BlockSpec>();
    blocks.add(new BlockSpec(0, EMBEDDING, List.of(embedding())));
    for (int layer = 0; layer < options.numHiddenLayers(); layer++) {
      String name = "model.layers." + layer;
      blocks.add(new BlockSpec(blocks.size(), name, transformer(name)));
    }
    blocks.add(new BlockSpec(blocks.size(), "lm_head", List.of(norm("model.norm"), head())));
    return new ModelSpec(options.vocabSize(), options.hiddenSize(), options.maxPositionEmbeddings(), blocks);
  }

  private LayerSpec embedding() {
    return new LayerSpec.Embedding(weight(EMBEDDING), options.vocabSize(), options.hiddenSize(), matrix);
  }

  private LayerSpec head() {
    String path = weight(options.tieWordEmbeddings() ? EMBEDDING : "lm_head");
    return new LayerSpec.LossHead(path, options.vocabSize(), options.hiddenSize(), matrix);
  }

  private List<LayerSpec> transformer(String block) {
    String attention = block + ".self_attn";
    String mlp = block + ".mlp";
    long hidden = options.hiddenSize();
    long inner = options.intermediateSize();
    long queries = sizes.heads().outputChannels();
    long keys = (long) sizes.heads().keyValue() * sizes.heads().dim();
    return List.of(
        norm(block + ".input_layernorm"),
        new LayerSpec.Linear(
            attention + ".qkv",
            List.of(
                heads(attention + ".q_proj", queries),
                heads(attention + ".k_proj", keys),
                heads(attention + ".v_proj", keys)),
            hidden,
            Split.OUTPUTS,
            matrix),
        new LayerSpec.Attention(attention, sizes.heads(), sizes.inverseFrequencies(), options.maxPositionEmbeddings()),
        intoResidual(attention + ".o_proj", queries),
        norm(block + ".post_attention_layernorm"),
        new LayerSpec.Linear(
            mlp + ".gate_up",
            List.of(part(mlp + ".gate_proj", inner), part(mlp + ".up_proj", inner)),
            hidden,
            Split.OUTPUTS,
            matrix),
        new LayerSpec.GatedMlp(mlp, inner),
        intoResidual(mlp + ".down_proj", inner));
  }

  private LayerSpec intoResidual(String name, long inputs) {
    return new LayerSpec.Linear(name, List.of(part(name, options.hiddenSize())), inputs, Split.INPUTS, residual);
  }

  private LayerSpec norm(String name) {
    return new LayerSpec.Norm(weight(name), options.hiddenSize(), options.rmsNormEps());
  }

  private static LayerSpec.LinearPart part(String name, long outputs) {
    return new LayerSpec.LinearPart(weight(name), outputs);
  }

  private LayerSpec.LinearPart heads(String name, long outputs) {
    return new LayerSpec.LinearPart(weight(name), outputs, sizes.heads().dim());
  }

  private static String weight(String name) {
    return name + ".weight";
  }
}
