package io.hirundo.lib.inference.evaluation;

import io.hirundo.checkpoint.ModelReader;
import io.hirundo.data.SampleSet;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.mesh.Axis;
import io.hirundo.model.ModelSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A few synthetic sequences to compare two copies of a model by their losses. The mean loss depends on every logit, and any parallel layout
 * of a model can compute it.
 */
public final class ModelProbe {
    private static final int SEQUENCES = 2;
    private static final int TOKENS = 16;
    private static final long SEED = 20260101;

    /** Lower bound of the standard deviation that scales the difference, for models whose logits are nearly constant. */
    private static final double MINIMUM_DEVIATION = 1e-3;

    /** T + 1 tokens each. */
    private final List<int[]> rows;

    private ModelProbe(List<int[]> rows) {
        this.rows = rows;
    }

    /**
     * A probe for a model that is distributed over a mesh. Its length is divisible by the context and tensor parallel sizes, and at most
     * {@code longestTokens}.
     */
    public static ModelProbe of(RankModel model, int longestTokens) {
        return of(
                model.spec(),
                model.tokenSplit().of() * model.rank().world().mesh().size(Axis.TENSOR),
                longestTokens);
    }

    /** A probe for a model on a single rank. */
    public static ModelProbe of(ModelSpec model) {
        return of(model, 1, model.maximumSequenceTokens());
    }

    private static ModelProbe of(ModelSpec model, int unit, int longestTokens) {
        int tokens = Math.min(Math.ceilDiv(TOKENS, unit) * unit, longestTokens);
        var random = new SplittableRandom(SEED);
        int vocabulary = Math.toIntExact(model.vocabulary());
        return new ModelProbe(IntStream.range(0, SEQUENCES)
                .mapToObj(_ -> random.ints(tokens + 1, 0, vocabulary).toArray())
                .toList());
    }

    /** The mean loss of each sequence in nats, the same on every rank. All ranks must call it. */
    public double[] losses(RankModel model) {
        return rows.stream()
                .mapToDouble(row -> new Evaluator(model, new OneSample(row), row.length - 1, 1, 1)
                        .evaluate()
                        .loss())
                .toArray();
    }

    /** The mean loss of each sequence in nats, from a model with one block in memory at a time. */
    public double[] losses(BlockwiseModel model) {
        return model.losses(rows);
    }

    /**
     * The largest difference between these losses and the losses by the format's reference implementation of the stored model, divided by the
     * standard deviation of the reference logits. Empty if the format has no reference implementation.
     */
    public OptionalDouble difference(double[] losses, ModelReader reader) {
        double largest = 0;
        for (int index = 0; index < losses.length; index++) {
            int[] row = rows.get(index);
            Optional<double[][]> logits = reader.referenceLogits(Arrays.copyOf(row, row.length - 1));
            if (logits.isEmpty()) {
                return OptionalDouble.empty();
            }
            double unit = Math.max(deviation(logits.get()), MINIMUM_DEVIATION);
            largest = Math.max(largest, Math.abs(losses[index] - loss(logits.get(), row)) / unit);
        }
        return OptionalDouble.of(largest);
    }

    private static double deviation(double[][] logits) {
        double mean =
                Arrays.stream(logits).flatMapToDouble(Arrays::stream).average().orElseThrow();
        return Math.sqrt(Arrays.stream(logits)
                .flatMapToDouble(Arrays::stream)
                .map(logit -> (logit - mean) * (logit - mean))
                .average()
                .orElseThrow());
    }

    private static double loss(double[][] logitsTV, int[] row) {
        double sum = 0;
        for (int position = 0; position < logitsTV.length; position++) {
            double[] logits = logitsTV[position];
            double largest = IntStream.range(0, logits.length)
                    .mapToDouble(token -> logits[token])
                    .max()
                    .orElseThrow();
            double total = IntStream.range(0, logits.length)
                    .mapToDouble(token -> Math.exp(logits[token] - largest))
                    .sum();
            sum += largest + Math.log(total) - logits[row[position + 1]];
        }
        return sum / logitsTV.length;
    }

    private record OneSample(int[] row) implements SampleSet {
        @Override
        public long count(Split split) {
            return split == Split.VALIDATION ? 1 : 0;
        }

        @Override
        public void read(Split split, long index, int[] into) {
            System.arraycopy(row, 0, into, 0, into.length);
        }

        @Override
        public int vocabularyBound() {
            return 0;
        }

        @Override
        public String describe() {
            return row.length + " synthetic tokens";
        }

        @Override
        public void close() {}
    }
}
