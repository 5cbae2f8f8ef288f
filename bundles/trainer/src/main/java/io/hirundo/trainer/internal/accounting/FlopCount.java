package io.hirundo.trainer.internal.accounting;

import io.hirundo.model.BlockSpec;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.Tokens;
import java.util.List;

/**
 * Model FLOPs as the layers count them; the mask is causal, so half of the attention matrix counts.
 */
public final class FlopCount {
  private FlopCount() {}

  /** FLOPs of the forward and backward pass over {@code sequences} sequences. */
  public static double ofStep(ModelSpec model, long sequences, long sequenceTokens) {
    var tokens = Tokens.causal(sequences, sequenceTokens);
    double flops = 0;
    for (BlockSpec block : model.blocks()) {
      for (LayerSpec<?> layer : block.layers()) {
        flops += layer.modelFlops(tokens);
      }
    }
    return flops;
  }

  /** Relative FLOPs of each block for one sequence of the model's maximum length. */
  public static List<Double> ofBlocks(ModelSpec model) {
    var tokens = Tokens.causal(1, model.maximumSequenceTokens());
    return model.blocks().stream()
        .map(block -> block.layers().stream().mapToDouble(layer -> layer.modelFlops(tokens)).sum())
        .toList();
  }
}
