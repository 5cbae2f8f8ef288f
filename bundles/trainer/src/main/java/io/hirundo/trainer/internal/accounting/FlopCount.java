package io.hirundo.trainer.internal.accounting;

import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import java.util.List;

/**
 * Model FLOPs as Megatron-LM counts them: six per matrix element and token, causal attention halved, recomputation and
 * everything elementwise left out.
 */
public final class FlopCount {
  private FlopCount() {}

  /** FLOPs of forward and backward over {@code sequences} sequences. */
  public static double ofStep(ModelSpec model, long sequences, long sequenceTokens) {
    double flops = 0;
    for (BlockSpec block : model.blocks()) {
      for (LayerSpec layer : block.layers()) {
        flops += ofLayer(layer, sequences, sequenceTokens);
      }
    }
    return flops;
  }

  /** Relative work of each block, for a sequence of the longest kind. */
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
