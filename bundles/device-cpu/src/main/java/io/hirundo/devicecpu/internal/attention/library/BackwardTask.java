package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.attention.AttentionOperands;
import io.hirundo.devicecpu.internal.attention.BackwardTiles.RowTerms;
import io.hirundo.devicecpu.internal.gemm.library.PreparedGemms;
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
    private final AttentionShape shape;
    private final BlockSoftmax softmax;
    private final int dim;

    private final BlockGemm gemm;
    private final BlockGemm.OfStride rowsOfHead;
    private final BlockGemm.OfStride rowsOfOutput;

    /** Scratch memory of a task, FP32 but what ends in Bf16. Letters as in {@link BlockGemm}. */
    private record Tiles(
            long querySDBf16,
            long outputGradientSDBf16,
            long queryGradientSD,
            long scoresKS,
            long gradientsKS,
            long probabilitiesKSBf16,
            long scoreGradientsKSBf16,
            RowTerms rows,
            long gemm,
            WideSpan keyGradient,
            WideSpan valueGradient) {}

    BackwardTask(
            AttentionOperands operands,
            CpuTensor outputGradient,
            AttentionOperands.Inputs gradient,
            PreparedGemms gemms) {
        this.operands = operands;
        this.outputGradient = outputGradient;
        this.gradient = gradient;
        this.shape = operands.shape();
        this.softmax = new BlockSoftmax(shape, operands.startsAddress());
        this.dim = shape.heads().dim();
        this.gemm = new BlockGemm(dim, gemms);
        this.rowsOfHead = gemm.new OfStride(dim);
        this.rowsOfOutput = gemm.new OfStride(shape.heads().outputChannels());
    }

    /** Whether a worker's memory holds all that a task takes. */
    static boolean serves(AttentionShape shape) {
        long dim = shape.heads().dim();
        // Copies of rows, FP32 sums of queries, and for all that is small 64 KiB.
        long tiles = QUERIES * dim * (2 * 2 + 4)
                + KeyBlock.MOST * 2 * (SCORE_ROW + ScoreLoops.ROUNDED_ROW)
                + BlockGemm.SCRATCH_BYTES
                + (64 << 10);
        return tiles + 2 * shape.keyTokens() * dim * 4 <= Scratch.WORKER_BYTES;
    }

    int tasks() {
        return shape.sequences() * shape.heads().keyValue();
    }

    @Override
    public void run(int keyHead, Scratch scratch) {
        Tiles tiles = take(scratch);
        int headElements = shape.keyTokens() * dim;
        long headKeys = (long) keyHead * headElements;
        Memory.zero(tiles.keyGradient.target(headKeys), headElements * 4L);
        Memory.zero(tiles.valueGradient.target(headKeys), headElements * 4L);
        int group = shape.heads().group();
        for (int member = 0; member < group; member++) {
            for (int first = 0; first < shape.queryTokens(); first += QUERIES) {
                queries(
                        tiles,
                        keyHead,
                        keyHead * group + member,
                        first,
                        Math.min(QUERIES, shape.queryTokens() - first));
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
                scratch.take(KeyBlock.MOST * ScoreLoops.ROUNDED_ROW),
                scratch.take(KeyBlock.MOST * ScoreLoops.ROUNDED_ROW),
                RowTerms.take(scratch),
                scratch.take(BlockGemm.SCRATCH_BYTES),
                WideSpan.of(gradient.key(), keys, scratch),
                WideSpan.of(gradient.value(), keys, scratch));
    }

    /** What a tile of queries adds to the three gradients. */
    private void queries(Tiles tiles, int keyHead, int head, int first, int count) {
        int sequence = keyHead / shape.heads().keyValue();
        BlockSoftmax.Queries tile = new BlockSoftmax.Queries(sequence, first, count);
        long firstRow = (long) head * shape.queryTokens() + first;
        long firstOutput = operands.outputIndex(sequence, head % shape.heads().query(), first);
        long gradientRows = BlockGemm.address(outputGradient, firstOutput);
        BlockGemm.Rows query = rowsOfHead.rows(
                BlockGemm.address(operands.in().query(), firstRow * dim), count, rowsOfHead, tiles.querySDBf16);
        BlockGemm.Rows output = rowsOfOutput.rows(gradientRows, count, rowsOfHead, tiles.outputGradientSDBf16);
        softmax.terms(
                operands.logSumExp().address() + firstRow * 4,
                BlockGemm.address(operands.output(), firstOutput),
                gradientRows,
                tile,
                tiles.rows);
        Memory.zero(tiles.queryGradientSD, QUERIES * dim * 4L);
        KeyBlock block = KeyBlock.first(shape, operands.startsAddress(), sequence, first, count);
        for (; block.count() > 0; block = block.next(shape, first, count)) {
            int keys = block.count();
            long element = ((long) keyHead * shape.keyTokens() + block.first()) * dim;
            long key = BlockGemm.address(operands.in().key(), element);
            query.gemms().scores(keys, key, query.rowsSD(), tiles.scoresKS, tiles.gemm);
            output.gemms()
                    .scores(
                            keys,
                            BlockGemm.address(operands.in().value(), element),
                            output.rowsSD(),
                            tiles.gradientsKS,
                            tiles.gemm);
            softmax.gradients(
                    tiles.scoresKS,
                    tiles.gradientsKS,
                    tiles.rows,
                    tile,
                    block,
                    tiles.probabilitiesKSBf16,
                    tiles.scoreGradientsKSBf16);
            long sums = (long) block.first() * dim * 4;
            output.gemms()
                    .addToKeys(
                            keys,
                            tiles.probabilitiesKSBf16,
                            output.rowsSD(),
                            tiles.valueGradient.target(0) + sums,
                            tiles.gemm);
            query.gemms()
                    .addToKeys(
                            keys,
                            tiles.scoreGradientsKSBf16,
                            query.rowsSD(),
                            tiles.keyGradient.target(0) + sums,
                            tiles.gemm);
            gemm.addToQueries(keys, tiles.scoreGradientsKSBf16, key, tiles.queryGradientSD, tiles.gemm);
        }
        ElementwiseLoops.toBf16(
                tiles.queryGradientSD, count * dim, BlockGemm.address(gradient.query(), firstRow * dim));
    }
}
