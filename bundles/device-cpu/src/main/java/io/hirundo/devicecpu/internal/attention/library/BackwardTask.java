package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.attention.AttentionOperands;
import io.hirundo.devicecpu.internal.attention.BackwardTiles.RowTerms;
import io.hirundo.devicecpu.internal.attention.ScoreGradients;
import io.hirundo.devicecpu.internal.gemm.library.PreparedProducts;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.attention.AttentionShape;

/**
 * Backward of causal attention, one task for each key/value head of a sequence, in the order of
 * {@code io.hirundo.devicecpu.internal.attention.AttentionBackward}: the gradients of keys and values are summed in the task's memory.
 */
final class BackwardTask implements Task {
  private final AttentionOperands operands;
  private final CpuTensor outputGradient;
  private final AttentionOperands.Inputs gradient;
  private final PreparedProducts products;
  private final AttentionShape shape;
  private final ScoreGradients terms;
  private final int dim;
  private final float scale;

  /** Scratch memory of a task, FP32 but what ends in Bf16. Letters as in {@link BlockGemm}. */
  private record Tiles(
      long querySDBf16, long outputGradientSDBf16, long queryGradientSD, long scoresKS, long gradientsKS, long roundedKSBf16, RowTerms rows,
      WideSpan output, WideSpan outputGradient, WideSpan keyGradient, WideSpan valueGradient) {}

  BackwardTask(AttentionOperands operands, CpuTensor outputGradient, AttentionOperands.Inputs gradient, PreparedProducts products) {
    this.operands = operands;
    this.outputGradient = outputGradient;
    this.gradient = gradient;
    this.products = products;
    this.shape = operands.shape();
    this.terms = new ScoreGradients(shape, operands.startsAddress());
    this.dim = shape.heads().dim();
    this.scale = (float) shape.options().scale(shape.heads());
  }

  /** Whether a worker's memory holds all that a task takes. */
  static boolean serves(AttentionShape shape) {
    long dim = shape.heads().dim();
    // Rounded copies, FP32 tiles of queries, and for all that is small 64 KiB.
    long tiles = QUERIES * dim * (2 * 2 + 3 * 4) + KeyBlock.MOST * SCORE_ROW * 5 / 2 + BlockGemm.SCRATCH_BYTES + (64 << 10);
    return tiles + 2 * shape.keyTokens() * dim * 4 <= Scratch.WORKER_BYTES;
  }

  int tasks() {
    return shape.sequences() * shape.heads().keyValue();
  }

  @Override
  public void run(int keyHead, Scratch scratch) {
    BlockGemm gemm = new BlockGemm(dim, products, scratch);
    Tiles tiles = take(scratch);
    int headElements = shape.keyTokens() * dim;
    long headKeys = (long) keyHead * headElements;
    Memory.zero(tiles.keyGradient.target(headKeys), headElements * 4L);
    Memory.zero(tiles.valueGradient.target(headKeys), headElements * 4L);
    int group = shape.heads().group();
    for (int member = 0; member < group; member++) {
      for (int first = 0; first < shape.queryTokens(); first += QUERIES) {
        queries(gemm, tiles, keyHead, keyHead * group + member, first, Math.min(QUERIES, shape.queryTokens() - first));
      }
    }
    tiles.keyGradient.store(headKeys, headElements);
    tiles.valueGradient.store(headKeys, headElements);
  }

  private Tiles take(Scratch scratch) {
    long keys = (long) shape.keyTokens() * dim;
    return new Tiles(
        scratch.take(QUERIES * dim * 2L),
        scratch.take(QUERIES * dim * 2L),
        scratch.take(QUERIES * dim * 4L),
        scratch.take(KeyBlock.MOST * SCORE_ROW),
        scratch.take(KeyBlock.MOST * SCORE_ROW),
        scratch.take(KeyBlock.MOST * SCORE_ROW / 2),
        RowTerms.take(scratch),
        WideSpan.of(operands.output(), QUERIES * dim, scratch),
        WideSpan.of(outputGradient, QUERIES * dim, scratch),
        WideSpan.of(gradient.key(), keys, scratch),
        WideSpan.of(gradient.value(), keys, scratch));
  }

  /** What a tile of queries adds to the three gradients. */
  private void queries(BlockGemm gemm, Tiles tiles, int keyHead, int head, int first, int count) {
    int sequence = keyHead / shape.heads().keyValue();
    prepare(gemm, tiles, head, first, count);
    KeyBlock block = KeyBlock.first(shape, operands.startsAddress(), sequence, first, count);
    for (; block.count() > 0; block = block.next(shape, first, count)) {
      long element = ((long) keyHead * shape.keyTokens() + block.first()) * dim;
      long key = BlockGemm.address(operands.in().key(), element);
      gemm.scores(block.count(), key, tiles.querySDBf16, tiles.scoresKS);
      ElementwiseLoops.scale(tiles.scoresKS, block.count() * QUERIES, scale);
      gemm.scores(block.count(), BlockGemm.address(operands.in().value(), element), tiles.outputGradientSDBf16, tiles.gradientsKS);
      terms.apply(tiles.scoresKS, tiles.gradientsKS, tiles.rows, sequence, first, count, block.first(), block.count());
      long sums = (long) block.first() * dim * 4;
      Columns.round(shape, first, count, block, tiles.scoresKS, 1, tiles.roundedKSBf16);
      gemm.addToKeys(block.count(), tiles.roundedKSBf16, tiles.outputGradientSDBf16, tiles.valueGradient.target(0) + sums);
      Columns.round(shape, first, count, block, tiles.gradientsKS, scale, tiles.roundedKSBf16);
      gemm.addToKeys(block.count(), tiles.roundedKSBf16, tiles.querySDBf16, tiles.keyGradient.target(0) + sums);
      gemm.addToQueries(block.count(), tiles.roundedKSBf16, key, tiles.queryGradientSD);
    }
    long element = ((long) head * shape.queryTokens() + first) * dim;
    ElementwiseLoops.toBf16(tiles.queryGradientSD, count * dim, BlockGemm.address(gradient.query(), element));
  }

  private void prepare(BlockGemm gemm, Tiles tiles, int head, int first, int count) {
    int heads = shape.heads().query();
    gemm.copyTile(
        BlockGemm.address(operands.in().query(), ((long) head * shape.queryTokens() + first) * dim), dim, count, tiles.querySDBf16);
    long channels = shape.heads().outputChannels();
    long firstOutput = operands.outputIndex(head / heads, head % heads, first);
    gemm.copyTile(BlockGemm.address(outputGradient, firstOutput), channels, count, tiles.outputGradientSDBf16);
    Memory.zero(tiles.queryGradientSD, QUERIES * dim * 4L);
    tiles.rows.fill(
        operands.logSumExp().address() + ((long) head * shape.queryTokens() + first) * 4,
        tiles.output.readRows(firstOutput, channels, count, dim),
        tiles.outputGradient.readRows(firstOutput, channels, count, dim),
        tiles.output.stride(channels, dim), count, dim);
  }
}
