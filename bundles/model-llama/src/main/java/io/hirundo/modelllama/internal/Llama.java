package io.hirundo.modelllama.internal;

import io.hirundo.model.Architecture;
import io.hirundo.model.Block;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import java.util.List;

/** Llama 2, 3 and 3.1 to 3.3 (Touvron et al. 2023, arXiv 2307.09288; Llama Team 2024, arXiv 2407.21783). */
record Llama(LlamaSizes sizes) implements Architecture {
  @Override
  public ModelSpec describe() {
    return new LlamaLayout(sizes).model();
  }

  @Override
  public Block build(BlockSpec block, LayerFactory layers) {
    List<LayerSpec<?>> specs = block.layers();
    return switch (specs.size()) {
      case 1 -> new EmbeddingBlock(layers.create((LayerSpec.Embedding) specs.get(0)));
      case 2 ->
          new HeadBlock(layers.create((LayerSpec.Norm) specs.get(0)), layers.create((LayerSpec.LossHead) specs.get(1)));
      case 8 ->
          new TransformerBlock(
              new AttentionHalf(
                  layers.create((LayerSpec.Norm) specs.get(0)),
                  layers.create((LayerSpec.Linear) specs.get(1)),
                  layers.create((LayerSpec.Attention) specs.get(2)),
                  layers.create((LayerSpec.Linear) specs.get(3))),
              new MlpHalf(
                  layers.create((LayerSpec.Norm) specs.get(4)),
                  layers.create((LayerSpec.Linear) specs.get(5)),
                  layers.create((LayerSpec.GatedMlp) specs.get(6)),
                  layers.create((LayerSpec.Linear) specs.get(7))));
      default -> throw new IllegalArgumentException("block " + block.name() + " is not a block of a Llama");
    };
  }
}
