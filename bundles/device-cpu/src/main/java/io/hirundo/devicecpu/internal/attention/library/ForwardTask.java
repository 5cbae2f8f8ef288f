package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.QUERIES;
import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;

import io.hirundo.devicecpu.internal.attention.AttentionOperands;
import io.hirundo.devicecpu.internal.attention.AttentionTiles;
import io.hirundo.devicecpu.internal.attention.Softmax;
import io.hirundo.devicecpu.internal.gemm.library.PreparedGemms;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.Task;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.kernel.attention.AttentionShape;

/** Forward of causal attention, one task for each tile of queries of a head: FlashAttention-2 (Dao 2023, arXiv 2307.08691), algorithm 1. */
final class ForwardTask implements Task {
    private final AttentionOperands operands;
    private final AttentionShape shape;
    private final BlockSoftmax softmax;
    private final BlockGemm gemm;
    private final BlockGemm.OfStride rowsOfHead;
    private final int dim;
    private final int queryTiles;

    ForwardTask(AttentionOperands operands, PreparedGemms gemms) {
        this.operands = operands;
        this.shape = operands.shape();
        this.softmax = new BlockSoftmax(shape, operands.startsAddress());
        this.dim = shape.heads().dim();
        this.gemm = new BlockGemm(dim, gemms);
        this.rowsOfHead = gemm.new OfStride(dim);
        this.queryTiles = AttentionTiles.count(shape.queryTokens(), QUERIES);
    }

    int tasks() {
        return shape.sequences() * shape.heads().query() * queryTiles;
    }

    @Override
    public void run(int task, Scratch scratch) {
        // The tiles of a head one after the other, while its keys and values are in the L2 cache. The last tile sees
        // most keys: first, so that
        // the workers end together.
        int firstQuery = (queryTiles - 1 - task % queryTiles) * QUERIES;
        int head = task / queryTiles;
        int queries = Math.min(QUERIES, shape.queryTokens() - firstQuery);
        int sequence = head / shape.heads().query();
        int keyHead = sequence * shape.heads().keyValue()
                + head % shape.heads().query() / shape.heads().group();

        long copySD = scratch.take(QUERIES * dim * 2L);
        long outputSD = scratch.take(QUERIES * dim * 4L);
        long scoresKS = scratch.take(KeyBlock.MOST * SCORE_ROW);
        long probabilitiesKS = scratch.take(KeyBlock.MOST * ScoreLoops.ROUNDED_ROW);
        long gemmScratch = scratch.take(BlockGemm.SCRATCH_BYTES);
        Softmax.Statistics rows = Softmax.Statistics.take(scratch);
        long firstRow = (long) head * shape.queryTokens() + firstQuery;
        BlockGemm.Rows query =
                rowsOfHead.rows(BlockGemm.address(operands.in().query(), firstRow * dim), queries, rowsOfHead, copySD);
        Memory.zero(outputSD, QUERIES * dim * 4L);
        rows.begin();
        BlockSoftmax.Queries tile = new BlockSoftmax.Queries(sequence, firstQuery, queries);
        KeyBlock block = KeyBlock.first(shape, operands.startsAddress(), sequence, firstQuery, queries);
        for (; block.count() > 0; block = block.next(shape, firstQuery, queries)) {
            long element = ((long) keyHead * shape.keyTokens() + block.first()) * dim;
            query.gemms()
                    .scores(
                            block.count(),
                            BlockGemm.address(operands.in().key(), element),
                            query.rowsSD(),
                            scoresKS,
                            gemmScratch);
            softmax.probabilities(scoresKS, rows, tile, block, probabilitiesKS);
            for (int row = 0; row < queries && block.first() > 0; row++) {
                ElementwiseLoops.scale(outputSD + row * dim * 4L, dim, Memory.getFloat(rows.rescaleS() + row * 4L));
            }
            gemm.addToQueries(
                    block.count(),
                    probabilitiesKS,
                    BlockGemm.address(operands.in().value(), element),
                    outputSD,
                    gemmScratch);
        }
        softmax.write(
                outputSD,
                rows,
                tile,
                BlockGemm.address(
                        operands.output(),
                        operands.outputIndex(sequence, head % shape.heads().query(), firstQuery)),
                operands.logSumExp().address() + firstRow * 4);
    }
}
