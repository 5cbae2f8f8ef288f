package io.hirundo.paralleltp.internal.columnrow;

import io.hirundo.ConfigurationException;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.ModelSpec;
import io.hirundo.parallel.LocalLayers;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.paralleltp.internal.layer.ChunkSize;
import io.hirundo.paralleltp.internal.layer.ShardLayout;
import io.hirundo.paralleltp.internal.layer.TensorLayers;
import io.hirundo.paralleltp.internal.residual.Overlap;
import io.hirundo.paralleltp.internal.residual.ResidualStream;
import io.hirundo.paralleltp.internal.residual.SequenceShards;
import io.hirundo.paralleltp.internal.residual.WholeResidual;
import java.util.stream.IntStream;

/**
 * Megatron's pairs (Shoeybi et al. 2019, arXiv 1909.08053): a layer split by its outputs, then one split by its inputs, whose
 * partial results are summed into the residual stream.
 *
 * @param chunkSize of the loss head
 */
public record ColumnRow(ColumnRowOptions options, ChunkSize chunkSize) implements TensorParallel {
  @Override
  public void check(ModelSpec model, int ranks) {
    // What can be shared out does not depend on whose share it is.
    var layout = new ShardLayout(0, IntStream.range(0, ranks).boxed().toList());
    model.blocks().forEach(block -> block.layers().forEach(layout::check));
  }

  @Override
  public long residualTokens(long tokens, int ranks) {
    if (!options.sequenceParallel()) {
      return tokens;
    }
    if (tokens % ranks != 0) {
      throw new ConfigurationException(
          "mesh.tensor is " + ranks + ", but with sequenceParallel it must divide the " + tokens
              + " tokens of a microbatch (training.microBatch times training.sequenceTokens, over mesh.context); allowed are "
              + ShardLayout.divisors(tokens) + "; or set the option sequenceParallel of column-row to false");
    }
    return tokens / ranks;
  }

  @Override
  public LayerFactory layers(LocalLayers local, ProcessGroup group) {
    Overlap overlap = overlap();
    ResidualStream stream =
        options.sequenceParallel() ? new SequenceShards(group, overlap) : new WholeResidual(group, overlap);
    var layout = new ShardLayout(group.rank(), group.ranks());
    return new TensorLayers(local, layout, group, stream, overlap, options.quantizedGather(), chunkSize);
  }

  private Overlap overlap() {
    return options.overlap()
        ? new Overlap(options.ringGather(), options.bulk(), options.pipelinedScatter() ? options.splits() : 1)
        : new Overlap(false, false, 1);
  }
}
