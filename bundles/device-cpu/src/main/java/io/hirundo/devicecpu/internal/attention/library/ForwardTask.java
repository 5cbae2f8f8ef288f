package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.attention.AttentionOperands;
import io.hirundo.devicecpu.internal.attention.AttentionTiles;
import io.hirundo.devicecpu.internal.attention.Softmax;
import io.hirundo.devicecpu.internal.gemm.library.PreparedProducts;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.attention.AttentionShape;

/** Forward of causal attention, one task for each tile of queries of a head: FlashAttention-2 (Dao 2023, arXiv 2307.08691), algorithm 1. */
final class ForwardTask implements Task {
  private final AttentionOperands operands;
  private final AttentionShape shape;
  private final PreparedProducts products;
  private final Softmax softmax;
  private final int dim;
  private final int queryTiles;

  ForwardTask(AttentionOperands operands, PreparedProducts products) {
    this.operands = operands;
    this.products = products;
    this.shape = operands.shape();
    this.softmax = new Softmax(shape, operands.startsAddress());
    this.dim = shape.heads().dim();
    this.queryTiles = AttentionTiles.count(shape.queryTokens(), QUERIES);
  }

  int tasks() {
    return shape.sequences() * shape.heads().query() * queryTiles;
  }

  @Override
  public void run(int task, Scratch scratch) {
    int headsOfBatch = shape.sequences() * shape.heads().query();
    // The last tile of a sequence sees most keys: first, so that the workers end together.
    int firstQuery = (queryTiles - 1 - task / headsOfBatch) * QUERIES;
    int head = task % headsOfBatch;
    int queries = Math.min(QUERIES, shape.queryTokens() - firstQuery);
    int sequence = head / shape.heads().query();
    int keyHead = sequence * shape.heads().keyValue() + head % shape.heads().query() / shape.heads().group();

    BlockGemm gemm = new BlockGemm(dim, products, scratch);
    long querySD = scratch.take(QUERIES * dim * 2L);
    long outputSD = scratch.take(QUERIES * dim * 4L);
    long scoresKS = scratch.take(KeyBlock.MOST * SCORE_ROW);
    long probabilitiesKS = scratch.take(KeyBlock.MOST * SCORE_ROW / 2);
    Softmax.Statistics rows = Softmax.Statistics.take(scratch);
    gemm.copyTile(BlockGemm.address(operands.in().query(), ((long) head * shape.queryTokens() + firstQuery) * dim), dim, queries, querySD);
    Memory.zero(outputSD, QUERIES * dim * 4L);
    rows.begin();
    KeyBlock block = KeyBlock.first(shape, operands.startsAddress(), sequence, firstQuery, queries);
    for (; block.count() > 0; block = block.next(shape, firstQuery, queries)) {
      long element = ((long) keyHead * shape.keyTokens() + block.first()) * dim;
      gemm.scores(block.count(), BlockGemm.address(operands.in().key(), element), querySD, scoresKS);
      ElementwiseLoops.scale(scoresKS, block.count() * QUERIES, (float) shape.options().scale(shape.heads()));
      softmax.update(scoresKS, rows, sequence, firstQuery, queries, block.first(), block.count());
      for (int row = 0; row < queries && block.first() > 0; row++) {
        ElementwiseLoops.scale(outputSD + row * dim * 4L, dim, Memory.getFloat(rows.rescaleS() + row * 4L));
      }
      Columns.round(shape, firstQuery, queries, block, scoresKS, 1, probabilitiesKS);
      gemm.addToQueries(block.count(), probabilitiesKS, BlockGemm.address(operands.in().value(), element), outputSD);
    }
    softmax.write(operands, outputSD, dim * 4L, rows, WideSpan.of(operands.output(), dim, scratch), head, firstQuery, queries);
  }
}
