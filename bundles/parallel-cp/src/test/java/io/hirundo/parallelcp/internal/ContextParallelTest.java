package io.hirundo.parallelcp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContextParallelTest {
    private static final ContextParallel RING = new RingFactory().create(new OverlapOptions());
    private static final ContextParallel ALL_GATHER = new AllGatherFactory().create(new OverlapOptions());

    @ParameterizedTest
    @CsvSource({
        // ranks, sequences, tokens of a piece, query heads, key heads, dim
        "1, 2, 5, 4, 2, 6",
        "2, 1, 1, 1, 1, 2",
        "2, 3, 5, 4, 2, 6",
        "3, 2, 7, 3, 1, 4",
        "4, 1, 6, 6, 3, 2",
        "4, 3, 3, 4, 4, 8",
        "5, 2, 2, 2, 1, 4",
    })
    void everyLayoutAttendsAsOneRankDoes(int ranks, int sequences, int pieceTokens, int query, int keyValue, int dim)
            throws Exception {
        var whole = new WholeAttention(sequences, 2 * ranks * pieceTokens, new Heads(query, keyValue, dim), 17);
        for (ContextParallel context : List.of(RING, ALL_GATHER)) {
            compare(whole, new Wire(ranks), ranks, DType.FP64, context, 1e-12);
            compare(whole, new LocalNetwork(ranks), ranks, DType.FP32, context, 1e-5);
        }
    }

    /** Includes a document that spans several pieces, and one of a single token. */
    @ParameterizedTest
    @CsvSource({"1, 5", "2, 5", "3, 4", "4, 3"})
    void attentionStaysWithinDocuments(int ranks, int pieceTokens) throws Exception {
        int tokens = 2 * ranks * pieceTokens;
        int[] starts = new int[2 * tokens];
        for (int token = 0; token < tokens; token++) {
            starts[token] = token < 2 ? 0 : token == 2 ? 2 : 3;
            starts[tokens + token] = token < tokens - 3 ? 0 : tokens - 3;
        }
        var whole = new WholeAttention(2, tokens, new Heads(4, 2, 6), AttentionOptions.NONE, starts, 11);
        for (ContextParallel context : List.of(RING, ALL_GATHER)) {
            compare(whole, new Wire(ranks), ranks, DType.FP64, context, 1e-12);
            compare(whole, new LocalNetwork(ranks), ranks, DType.FP32, context, 1e-5);
        }
    }

    /** Windows within a piece, over several, of a piece and one token, and longer than the sequence; with documents, and without. */
    @ParameterizedTest
    @CsvSource({"1, 5, 3", "2, 5, 4", "3, 4, 5", "4, 3, 1", "4, 3, 3", "4, 3, 4", "4, 3, 8", "2, 5, 1000"})
    void windowsCapsAndScales(int ranks, int pieceTokens, int window) throws Exception {
        int tokens = 2 * ranks * pieceTokens;
        int[] starts = new int[2 * tokens];
        for (int token = 5; token < tokens; token++) {
            starts[token] = 5;
        }
        var options = AttentionOptions.NONE.withWindow(window).withSoftCap(0.9).withScale(0.3);
        var whole = new WholeAttention(2, tokens, new Heads(4, 2, 6), options, starts, 11);
        for (ContextParallel context : List.of(RING, ALL_GATHER)) {
            compare(whole, new Wire(ranks), ranks, DType.FP64, context, 1e-12);
            compare(whole, new LocalNetwork(ranks), ranks, DType.FP32, context, 1e-5);
        }
    }

    /** Of pieces of 10 tokens, a query sees 11 others at most: those of its own piece and the one before. */
    @Test
    void piecesOutsideOfTheWindowAreNotComputed() {
        int pairs = 0;
        for (int rank = 0; rank < 4; rank++) {
            for (int holder = 0; holder < 4; holder++) {
                var options = AttentionOptions.NONE.withWindow(11);
                pairs += new ChunkPairs(1, 10, new Heads(1, 1, 2), options, Optional.empty(), rank, 4)
                        .pairsWith(holder)
                        .size();
            }
        }
        assertEquals(8 + 7, pairs, "eight pieces with themselves, seven with the one before");
    }

    @ParameterizedTest
    @CsvSource({"2", "3", "4"})
    void overlapIsBitwiseIdentical(int ranks) throws Exception {
        var whole = new WholeAttention(2, 2 * ranks * 5, new Heads(4, 2, 6), 3);
        assertEquals(
                results(whole, ranks, new RingFactory().create(new OverlapOptions(false))),
                results(whole, ranks, RING));
        assertEquals(
                results(whole, ranks, new AllGatherFactory().create(new OverlapOptions(false))),
                results(whole, ranks, ALL_GATHER));
    }

    @Test
    void balancesTheChunks() {
        assertEquals(List.of(0, 7), RING.pieces(0, 4));
        assertEquals(List.of(3, 4), ALL_GATHER.pieces(3, 4));
        for (int rank = 0; rank < 4; rank++) {
            int pairs = 0;
            for (int holder = 0; holder < 4; holder++) {
                pairs += new ChunkPairs(1, 1, new Heads(1, 1, 2), AttentionOptions.NONE, Optional.empty(), rank, 4)
                        .pairsWith(holder)
                        .size();
            }
            assertEquals(9, pairs, "2 * 4 + 1 of the 36 pairs");
        }
    }

    @Test
    void transferMemoryIsThatOfTheChunksInFlight() throws Exception {
        int ranks = 4;
        var whole = new WholeAttention(1, 2 * ranks * 16, new Heads(2, 2, 16), 5);
        // Keys and values of one rank's pieces.
        long unit = 2 * (2 * 16 * 2 * 16) * 8L;
        assertEquals(5 * unit, peak(whole, ranks, RING), "two keys, three gradients: found here, arriving, leaving");
        assertEquals(2 * ranks * unit, peak(whole, ranks, ALL_GATHER), "all keys, all gradients");
    }

    @Test
    void rejectsSequencesWithoutTwoChunksPerRank() throws Exception {
        ThreadRanks.run(1, new Wire(1), rank -> {
            var batch = new MicroBatch(1, 6, 1, null, null, null, null, Optional.empty());
            var step = new TestContext(rank.device(), rank.queue(), batch, DType.FP64);
            var heads = rank.device().allocate(MemoryCategory.ACTIVATIONS, Shape.of(1, 1, 6, 2), DType.FP64);
            var in = new QueryKeyValue(heads, heads, heads);
            for (ContextParallel context : List.of(RING, ALL_GATHER)) {
                var core = context.attention(rank.group(), new Heads(1, 1, 2), AttentionOptions.NONE);
                var error = assertThrows(ConfigurationException.class, () -> core.forward(step, in, heads, heads));
                assertTrue(error.getMessage().contains("multiple of 2"), error.getMessage());
            }
            return null;
        });
    }

    private static void compare(
            WholeAttention whole, Network network, int ranks, DType dtype, ContextParallel context, double tolerance)
            throws Exception {
        ThreadRanks.run(ranks, network, rank -> {
            new RankAttention(whole, rank, dtype, context)
                    .run(context, (what, expected, found) -> assertEquals(expected, found, tolerance, what));
            if (network instanceof Wire) {
                assertEquals(0, rank.books().live(MemoryCategory.COMMUNICATION), "buffers are given back");
            }
            return null;
        });
    }

    private static List<List<Double>> results(WholeAttention whole, int ranks, ContextParallel context)
            throws Exception {
        return ThreadRanks.run(ranks, new Wire(ranks), rank -> {
            var values = new ArrayList<Double>();
            new RankAttention(whole, rank, DType.FP32, context)
                    .run(context, (what, expected, found) -> values.add(found));
            return values;
        });
    }

    private static long peak(WholeAttention whole, int ranks, ContextParallel context) throws Exception {
        return ThreadRanks.run(ranks, new Wire(ranks), rank -> {
                    new RankAttention(whole, rank, DType.FP64, context).run(context, (what, expected, found) -> {});
                    return rank.books().peak(MemoryCategory.COMMUNICATION);
                })
                .getFirst();
    }
}
