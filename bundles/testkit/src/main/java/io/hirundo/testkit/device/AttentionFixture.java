package io.hirundo.testkit.device;

import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Matrices;
import io.hirundo.testkit.bench.Normals;
import java.util.List;

/**
 * Attention's forward and backward of one shape; the operands are the same each time.
 *
 * @param documentTokens length of the documents in a sequence; 0 for sequences that are one document
 */
public record AttentionFixture(AttentionShape shape, int documentTokens) {
    /** The distance of BF16 numbers next to each other: both sides round. */
    private static final double BF16_STEP = 0x1p-7;

    /** Of the worst of some ten thousand elements: gradients of scores, rounded to BF16 too, are larger than the sums that they end in. */
    private static final double BF16_TOLERANCE = 6 * BF16_STEP;

    private static final List<String> OUTPUTS = List.of("output", "logSumExp", "dq", "dk", "dv");

    /** Around the sizes of tiles, with grouped heads, offsets, queries that see no key, windows, soft caps, scales and documents. */
    public static List<AttentionFixture> shapes() {
        return List.of(
                fixture(64, 64, new Heads(2, 2, 16), 0, AttentionOptions.NONE, 0),
                fixture(130, 130, new Heads(4, 2, 48), 0, AttentionOptions.NONE, 0),
                fixture(257, 257, new Heads(1, 1, 64), 0, AttentionOptions.NONE, 0),
                fixture(300, 513, new Heads(2, 1, 8), 213, AttentionOptions.NONE, 0),
                fixture(2, 2, new Heads(2, 1, 2), 0, AttentionOptions.NONE, 0),
                fixture(17, 63, new Heads(3, 1, 66), 1_000_000_000, AttentionOptions.NONE, 0),
                fixture(70, 70, new Heads(2, 1, 32), -5, AttentionOptions.NONE, 0),
                fixture(70, 75, new Heads(2, 1, 256), 3, AttentionOptions.NONE.withScale(0.0625), 0),
                fixture(20, 20, new Heads(1, 1, 16), -21, AttentionOptions.NONE, 0),
                fixture(200, 200, new Heads(2, 2, 48), 0, AttentionOptions.NONE.withWindow(65), 0),
                fixture(
                        66,
                        577,
                        new Heads(2, 1, 16),
                        511,
                        AttentionOptions.NONE.withWindow(2).withSoftCap(1.5),
                        0),
                fixture(
                        200,
                        200,
                        new Heads(4, 2, 32),
                        0,
                        AttentionOptions.NONE.withSoftCap(0.7).withScale(2),
                        70),
                fixture(150, 150, new Heads(2, 2, 8), 0, AttentionOptions.NONE, 2));
    }

    /** Two sequences. */
    private static AttentionFixture fixture(
            int queries, int keys, Heads heads, int offset, AttentionOptions options, int documentTokens) {
        return new AttentionFixture(new AttentionShape(2, queries, keys, heads, offset).with(options), documentTokens);
    }

    /** Whether any query sees a key. */
    public boolean computes() {
        return shape.causalOffset() > -shape.queryTokens();
    }

    /** The output, log-sum-exp, and gradients of queries, keys and values, of normally distributed operands of an FP32 or BF16 dtype. */
    public List<double[]> run(Bench bench, DType dtype) {
        AttentionKernels attention = bench.device().kernels().attention();
        Heads heads = shape.heads();
        long sequences = shape.sequences();
        long tokens = sequences * shape.queryTokens();
        Tensor starts = bench.tensor(
                DType.INT32,
                i -> i % shape.queryTokens() / Math.max(1, documentTokens) * documentTokens,
                sequences,
                shape.queryTokens());
        AttentionShape bound = documentTokens == 0 ? shape : shape.within(new DocumentBounds(starts, 0));
        QueryKeyValue in = threeTensors(bench, dtype, 1);
        Tensor output = bench.tensor(dtype, _ -> Double.NaN, tokens, heads.outputChannels());
        Tensor logSumExp = bench.tensor(DType.FP32, _ -> Double.NaN, sequences, heads.query(), shape.queryTokens());
        attention.forward(bench.queue(), bound, in, output, logSumExp);
        Tensor dOutput = random(bench, dtype, 4, tokens, heads.outputChannels());
        // Values that must all be replaced.
        QueryKeyValue gradient = threeTensors(bench, dtype, 5);
        attention.backward(bench.queue(), bound, dOutput, in, output, logSumExp, gradient);
        return List.of(
                bench.read(output),
                bench.read(logSumExp),
                bench.read(gradient.queryBHSD()),
                bench.read(gradient.keyBGSD()),
                bench.read(gradient.valueBGSD()));
    }

    private QueryKeyValue threeTensors(Bench bench, DType dtype, int seed) {
        Heads heads = shape.heads();
        return new QueryKeyValue(
                random(bench, dtype, seed, shape.sequences(), heads.query(), shape.queryTokens(), heads.dim()),
                random(bench, dtype, seed + 1, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()),
                random(bench, dtype, seed + 2, shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim()));
    }

    private static Tensor random(Bench bench, DType dtype, int seed, long... dims) {
        return bench.tensor(dtype, Normals.of(seed), dims);
    }

    /**
     * Compares results in BF16: every element within six steps of BF16 of its size plus its tensor's root mean square, and the norm of a
     * tensor's error within one step of its norm.
     */
    public static void requireClose(List<double[]> expected, List<double[]> found) {
        for (int i = 0; i < expected.size(); i++) {
            Matrices.requireEachClose(OUTPUTS.get(i), expected.get(i), found.get(i), BF16_TOLERANCE);
            double error = Matrices.relativeError(expected.get(i), found.get(i));
            if (!(error < BF16_STEP)) {
                throw new AssertionError(OUTPUTS.get(i) + ": the norm of the error is " + error
                        + " of the norm, allowed is " + BF16_STEP);
            }
        }
    }
}
