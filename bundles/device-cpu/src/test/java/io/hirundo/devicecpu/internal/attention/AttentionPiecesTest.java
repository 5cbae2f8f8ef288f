package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Matrices;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Attention of a sequence in pieces, as in ring attention, against attention of the complete sequence: tensors are
 * [pieces, heads, tokens of a piece, channels], each piece of queries attends to each piece of keys in a call of its own, all
 * of them views, and what it saw is merged.
 */
final class AttentionPiecesTest {
    /** Where the pieces of a sequence are, and on what they are computed. */
    private record Case(TestDevice on, DType dtype, int pieces, int pieceTokens, Heads heads) {
        AttentionKernels attention() {
            return on.device.kernels().attention();
        }

        int tokens() {
            return pieces * pieceTokens;
        }

        DType statistics() {
            return dtype == FP64 ? FP64 : FP32;
        }

        CpuTensor none(DType type, long... dims) {
            return on.tensor(type, i -> Double.NaN, dims);
        }

        /** Queries of one sequence, in whole or in pieces. */
        QueryKeyValue zeros(int sequences, int tokens) {
            return new QueryKeyValue(
                    on.tensor(dtype, i -> 0, sequences, heads.query(), tokens, heads.dim()),
                    on.tensor(dtype, i -> 0, sequences, heads.keyValue(), tokens, heads.dim()),
                    on.tensor(dtype, i -> 0, sequences, heads.keyValue(), tokens, heads.dim()));
        }

        QueryKeyValue whole() {
            return new QueryKeyValue(
                    on.random(dtype, 1, 1, heads.query(), tokens(), heads.dim()),
                    on.random(dtype, 2, 1, heads.keyValue(), tokens(), heads.dim()),
                    on.random(dtype, 3, 1, heads.keyValue(), tokens(), heads.dim()));
        }

        /** The rows of a head-major tensor of one sequence, piece by piece. */
        CpuTensor inPieces(Tensor whole) {
            CpuTensor from = (CpuTensor) whole;
            int headCount = (int) from.shape().dim(1);
            int dim = (int) from.shape().dim(-1);
            CpuTensor to = none(from.dtype(), pieces, headCount, pieceTokens, dim);
            for (long i = 0; i < to.elements(); i++) {
                to.setDouble(i, from.getDouble(wholeIndex(i, headCount, dim)));
            }
            return to;
        }

        /** The other way round. */
        double[] inOne(Tensor inPieces) {
            CpuTensor from = (CpuTensor) inPieces;
            double[] whole = new double[(int) from.elements()];
            int headCount = (int) from.shape().dim(1);
            int dim = (int) from.shape().dim(-1);
            for (int i = 0; i < whole.length; i++) {
                whole[wholeIndex(i, headCount, dim)] = from.getDouble(i);
            }
            return whole;
        }

        private int wholeIndex(long indexInPieces, int headCount, int dim) {
            long row = indexInPieces / dim;
            long piece = row / pieceTokens / headCount;
            long head = row / pieceTokens % headCount;
            return (int) ((head * tokens() + piece * pieceTokens + row % pieceTokens) * dim + indexInPieces % dim);
        }

        QueryKeyValue inPieces(QueryKeyValue whole) {
            return new QueryKeyValue(
                    inPieces(whole.queryBHSD()), inPieces(whole.keyBGSD()), inPieces(whole.valueBGSD()));
        }

        /** Queries of some pieces, keys and values of as many others. */
        QueryKeyValue views(QueryKeyValue all, int queryPiece, int keyPiece, int count) {
            return new QueryKeyValue(
                    all.queryBHSD().rows(queryPiece, count),
                    all.keyBGSD().rows(keyPiece, count),
                    all.valueBGSD().rows(keyPiece, count));
        }

        AttentionShape shape(int sequences, int causalOffset) {
            return new AttentionShape(sequences, pieceTokens, pieceTokens, heads, causalOffset);
        }

        /** Keys of the same piece are seen up to the query, earlier ones all, later ones not. */
        int causalOffset(int queryPiece, int keyPiece) {
            return (queryPiece - keyPiece) * pieceTokens;
        }

        void add(Tensor x, Tensor into) {
            on.device.kernels().elementwise().add(on.queue, x, into);
        }
    }

    /** Kernels, type, pieces, tokens of a piece, heads, key heads, dim, tolerance. */
    @ParameterizedTest
    @CsvSource({
        "vector, FP32, 2, 64, 2, 1, 16, 1e-5",
        "vector, FP32, 4, 33, 4, 2, 24, 1e-5",
        "vector, FP32, 3, 7, 3, 3, 6, 1e-5",
        "vector, FP32, 5, 1, 2, 1, 2, 1e-5",
        "vector, FP32, 2, 70, 1, 1, 100, 1e-5",
        "vector, FP64, 4, 5, 4, 2, 4, 1e-12",
        "vector, BF16, 3, 5, 2, 1, 4, 3e-2",
        "reference, FP32, 4, 9, 2, 1, 6, 1e-5",
        "reference, FP64, 4, 9, 2, 1, 6, 1e-12",
    })
    void piecesGiveWhatTheWholeGives(
            String kernels,
            DType dtype,
            int pieces,
            int pieceTokens,
            int heads,
            int keyHeads,
            int dim,
            double tolerance) {
        try (TestDevice on = new TestDevice(2, kernels)) {
            Case of = new Case(on, dtype, pieces, pieceTokens, new Heads(heads, keyHeads, dim));
            QueryKeyValue in = of.whole();
            CpuTensor output = of.none(dtype, of.tokens(), of.heads.outputChannels());
            CpuTensor logSumExp = of.none(of.statistics(), 1, heads, of.tokens(), 1);
            AttentionShape whole = AttentionShape.causal(1, of.tokens(), of.heads);
            of.attention().forward(on.queue, whole, in, output, logSumExp);

            QueryKeyValue split = of.inPieces(in);
            CpuTensor pieceOutput = of.none(dtype, of.tokens(), of.heads.outputChannels());
            CpuTensor pieceLogSumExp =
                    on.tensor(of.statistics(), i -> Double.NEGATIVE_INFINITY, pieces, heads, pieceTokens, 1);
            forwardInPieces(of, split, pieceOutput, pieceLogSumExp);
            Matrices.requireEachClose("output", values(output), values(pieceOutput), tolerance);
            Matrices.requireEachClose("logSumExp", values(logSumExp), of.inOne(pieceLogSumExp), tolerance);

            CpuTensor dOutput = on.random(dtype, 4, of.tokens(), of.heads.outputChannels());
            QueryKeyValue gradient = of.zeros(1, of.tokens());
            of.attention().backward(on.queue, whole, dOutput, in, output, logSumExp, gradient);
            QueryKeyValue sum = backwardInPieces(of, split, dOutput, pieceOutput, pieceLogSumExp);
            Matrices.requireEachClose(
                    "dq", values((CpuTensor) gradient.queryBHSD()), of.inOne(sum.queryBHSD()), tolerance);
            Matrices.requireEachClose("dk", values((CpuTensor) gradient.keyBGSD()), of.inOne(sum.keyBGSD()), tolerance);
            Matrices.requireEachClose(
                    "dv", values((CpuTensor) gradient.valueBGSD()), of.inOne(sum.valueBGSD()), tolerance);
        }
    }

    /** Also of keys that nobody sees, and the first keys in the middle: the order of the ring is any. */
    private static void forwardInPieces(Case of, QueryKeyValue in, CpuTensor output, CpuTensor logSumExp) {
        for (int step = 0; step < of.pieces; step++) {
            for (int piece = 0; piece < of.pieces; piece++) {
                int keyPiece = (piece + step + 1) % of.pieces;
                CpuTensor part = of.none(of.dtype, of.pieceTokens, of.heads.outputChannels());
                CpuTensor partLogSumExp = of.none(of.statistics(), of.heads.query(), of.pieceTokens);
                AttentionShape shape = of.shape(1, of.causalOffset(piece, keyPiece));
                of.attention().forward(of.on.queue, shape, of.views(in, piece, keyPiece, 1), part, partLogSumExp);
                of.attention()
                        .merge(
                                of.on.queue,
                                shape,
                                part,
                                partLogSumExp,
                                rowsOfPiece(of, output, piece),
                                logSumExp.rows(piece, 1));
            }
        }
    }

    private static QueryKeyValue backwardInPieces(
            Case of, QueryKeyValue in, CpuTensor dOutput, CpuTensor output, CpuTensor logSumExp) {
        QueryKeyValue sum = of.zeros(of.pieces, of.pieceTokens);
        for (int piece = 0; piece < of.pieces; piece++) {
            for (int keyPiece = 0; keyPiece < of.pieces; keyPiece++) {
                QueryKeyValue part = of.zeros(1, of.pieceTokens);
                of.attention()
                        .backward(
                                of.on.queue,
                                of.shape(1, of.causalOffset(piece, keyPiece)),
                                rowsOfPiece(of, dOutput, piece),
                                of.views(in, piece, keyPiece, 1),
                                rowsOfPiece(of, output, piece),
                                logSumExp.rows(piece, 1),
                                part);
                QueryKeyValue target = of.views(sum, piece, keyPiece, 1);
                of.add(part.queryBHSD(), target.queryBHSD());
                of.add(part.keyBGSD(), target.keyBGSD());
                of.add(part.valueBGSD(), target.valueBGSD());
            }
        }
        return sum;
    }

    private static Tensor rowsOfPiece(Case of, Tensor tokenMajor, int piece) {
        return tokenMajor.rows((long) piece * of.pieceTokens, of.pieceTokens);
    }

    /** Several pieces in one call, of a larger tensor, are to the bit what they are one by one. */
    @ParameterizedTest
    @CsvSource({"vector, 70, 12, 0", "vector, 70, 12, 70", "vector, 13, 6, 1000000", "reference, 13, 6, 0"})
    void oneCallEqualsOneCallPerPiece(String kernels, int pieceTokens, int dim, int causalOffset) {
        try (TestDevice on = new TestDevice(2, kernels)) {
            Case of = new Case(on, FP32, 6, pieceTokens, new Heads(3, 1, dim));
            QueryKeyValue in = of.inPieces(of.whole());
            CpuTensor dOutput = on.random(FP32, 4, of.tokens(), of.heads.outputChannels());
            CpuTensor[] output = {none(of, 0), none(of, 1)};
            CpuTensor[] logSumExp = {none(of, 2), none(of, 3)};
            QueryKeyValue[] gradient = {of.zeros(6, pieceTokens), of.zeros(6, pieceTokens)};
            // Queries of pieces 1 to 4 against keys of pieces 2 to 5: together, then each.
            attend(of, causalOffset, 1, 4, in, dOutput, output[0], logSumExp[0], gradient[0]);
            for (int piece = 1; piece < 5; piece++) {
                attend(of, causalOffset, piece, 1, in, dOutput, output[1], logSumExp[1], gradient[1]);
            }
            assertArrayEquals(values(output[0]), values(output[1]));
            assertArrayEquals(values(logSumExp[0]), values(logSumExp[1]));
            assertArrayEquals(values((CpuTensor) gradient[0].queryBHSD()), values((CpuTensor) gradient[1].queryBHSD()));
            assertArrayEquals(values((CpuTensor) gradient[0].keyBGSD()), values((CpuTensor) gradient[1].keyBGSD()));
            assertArrayEquals(values((CpuTensor) gradient[0].valueBGSD()), values((CpuTensor) gradient[1].valueBGSD()));
            assertEquals(Double.NaN, output[0].getDouble(0), "what is not in the view stays");
            assertEquals(Double.NaN, output[0].getDouble(output[0].elements() - 1));
            assertEquals(0, ((CpuTensor) gradient[0].keyBGSD()).getDouble(0));
        }
    }

    /** Outputs for 0 and 1, logarithms for 2 and 3. */
    private static CpuTensor none(Case of, int number) {
        return number < 2
                ? of.none(FP32, of.tokens(), of.heads.outputChannels())
                : of.none(FP32, of.pieces, of.heads.query(), of.pieceTokens);
    }

    private static void attend(
            Case of,
            int causalOffset,
            int first,
            int count,
            QueryKeyValue in,
            CpuTensor dOutput,
            CpuTensor output,
            CpuTensor logSumExp,
            QueryKeyValue gradient) {
        AttentionShape shape = of.shape(count, causalOffset);
        QueryKeyValue views = of.views(in, first, first + 1, count);
        long row = (long) first * of.pieceTokens;
        long rows = (long) count * of.pieceTokens;
        of.attention().forward(of.on.queue, shape, views, output.rows(row, rows), logSumExp.rows(first, count));
        of.attention()
                .backward(
                        of.on.queue,
                        shape,
                        dOutput.rows(row, rows),
                        views,
                        output.rows(row, rows),
                        logSumExp.rows(first, count),
                        of.views(gradient, first, first + 1, count));
    }
}
