package io.hirundo.modelllama.internal;

import io.hirundo.model.Activation;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.Initialization;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
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

  private LayerSpec<?> embedding() {
    return new LayerSpec.Embedding(weight(EMBEDDING), options.vocabSize(), options.hiddenSize(), matrix);
  }

  private LayerSpec<?> head() {
    String path = weight(options.tieWordEmbeddings() ? EMBEDDING : "lm_head");
    return new LayerSpec.LossHead(path, options.vocabSize(), options.hiddenSize(), matrix);
  }

  private List<LayerSpec<?>> transformer(String block) {
    String attention = block + ".self_attn";
    String mlp = block + ".mlp";
    long hidden = options.hiddenSize();
    List<Dim> inner = List.of(Dims.inner(options.intermediateSize()));
    var heads =
        new LayerSpec.Attention(attention, sizes.heads(), sizes.inverseFrequencies(), options.maxPositionEmbeddings());
    return List.of(
        norm(block + ".input_layernorm"),
        LayerSpec.Linear.fromResidual(
            attention + ".qkv",
            List.of(
                part(attention + ".q_proj", heads.query()),
                part(attention + ".k_proj", heads.keyValue()),
                part(attention + ".v_proj", heads.keyValue())),
            hidden,
            matrix),
        heads,
        intoResidual(attention + ".o_proj", heads.query()),
        norm(block + ".post_attention_layernorm"),
        LayerSpec.Linear.fromResidual(
            mlp + ".gate_up", List.of(part(mlp + ".gate_proj", inner), part(mlp + ".up_proj", inner)), hidden, matrix),
        new LayerSpec.GatedMlp(mlp, options.intermediateSize()),
        intoResidual(mlp + ".down_proj", inner));
  }

  private LayerSpec<?> intoResidual(String name, List<Dim> inputs) {
    return LayerSpec.Linear.toResidual(name, weight(name), inputs, options.hiddenSize(), residual);
  }

  private LayerSpec<?> norm(String name) {
    return new LayerSpec.Norm(weight(name), Activation.residual(options.hiddenSize()), options.rmsNormEps());
  }

  private static LayerSpec.LinearPart part(String name, List<Dim> rows) {
    return new LayerSpec.LinearPart(weight(name), rows);
  }

  private static String weight(String name) {
    return name + ".weight";
  }
}
