package io.hirundo.trainer.internal.accounting;

import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import java.util.List;

/**
 * Model FLOPs as Megatron-LM counts them: six per matrix element and token, and half of the attention matrix because the mask is causal.
 * Recomputation and elementwise kernels do not count.
 */
public final class FlopCount {
  private FlopCount() {}

  /** FLOPs of the forward and backward pass over {@code sequences} sequences. */
  public static double ofStep(ModelSpec model, long sequences, long sequenceTokens) {
    double flops = 0;
    for (BlockSpec block : model.blocks()) {
      for (LayerSpec layer : block.layers()) {
        flops += ofLayer(layer, sequences, sequenceTokens);
      }
    }
    return flops;
  }

  /** Relative FLOPs of each block for one sequence of the model's maximum length. */
  public static List<Double> ofBlocks(ModelSpec model) {
    return model.blocks().stream()
        .map(block -> block.layers().stream().mapToDouble(layer -> ofLayer(layer, 1, model.maximumSequenceTokens())).sum())
        .toList();
  }

  private static double ofLayer(LayerSpec layer, double sequences, double sequenceTokens) {
    return switch (layer) {
      case LayerSpec.Linear linear -> 6 * sequences * sequenceTokens * linear.inputs() * linear.outputs();
      case LayerSpec.LossHead head -> 6 * sequences * sequenceTokens * head.hidden() * head.vocabulary();
      case LayerSpec.Attention attention ->
          6 * sequences * sequenceTokens * sequenceTokens * attention.heads().outputChannels();
      case LayerSpec.Embedding embedding -> 0;
      case LayerSpec.Norm norm -> 0;
      case LayerSpec.GatedMlp mlp -> 0;
    };
  }
}
