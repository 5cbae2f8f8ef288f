package io.hirundo.trainer.internal.experts;

import io.hirundo.model.layer.LossTerm;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.stream.IntStream;

/**
 * Where the tokens of a microbatch go, and with which weight.
 *
 * @param experts of each token
 * @param probabilities [T, E], softmax of the logits
 */
record Router(int[] experts, double[][] probabilities) {
    /** Of eight tokens, so that some ranks send many rows to one expert, and none to another. */
    private static final int[] EXPERT_OF_TOKEN = {0, 1, 0, 3, 3, 0, 2, 0};

    static Router of(StepContext context, Tensor logitsTE) {
        int count = (int) logitsTE.shape().dim(1);
        double[] logits = Host.read(context, logitsTE);
        double[] tokens = Host.read(context, context.batch().tokensT());
        int[] experts = IntStream.range(0, tokens.length)
                .map(token -> EXPERT_OF_TOKEN[(int) tokens[token] % 8] % count)
                .toArray();
        var probabilities = new double[tokens.length][count];
        for (int token = 0; token < tokens.length; token++) {
            double sum = 0;
            for (int expert = 0; expert < count; expert++) {
                probabilities[token][expert] = Math.exp(logits[token * count + expert]);
                sum += probabilities[token][expert];
            }
            for (int expert = 0; expert < count; expert++) {
                probabilities[token][expert] /= sum;
            }
        }
        return new Router(experts, probabilities);
    }

    private int count() {
        return probabilities[0].length;
    }

    /** The probability of each token's expert. */
    double[] gates() {
        return IntStream.range(0, experts.length)
                .mapToDouble(token -> probabilities[token][experts[token]])
                .toArray();
    }

    /** The fraction of a sequence's tokens that an expert gets. */
    private double fraction(StepContext context, int sequence, int expert) {
        int length = context.batch().sequenceTokens();
        long chosen = IntStream.range(sequence * length, (sequence + 1) * length)
                .filter(token -> experts[token] == expert)
                .count();
        return (double) chosen / length;
    }

    /** E times the sum over experts of fraction times mean probability, of each sequence. */
    void addBalance(StepContext context, LossTerm term) {
        int length = context.batch().sequenceTokens();
        double sum = 0;
        for (int token = 0; token < experts.length; token++) {
            for (int expert = 0; expert < count(); expert++) {
                sum += count() * fraction(context, token / length, expert) * probabilities[token][expert] / length;
            }
        }
        try (Tensor value = Host.tensor(context, new double[] {sum}, Shape.of(1))) {
            context.device().kernels().elementwise().add(context.queue(), value, context.lossSum(term));
        }
    }

    /** The gradient of the logits, [T, E]; the caller closes it. {@code gateGradients}: of the loss by {@link #gates}. */
    Tensor gradient(StepContext context, LossTerm term, double[] gateGradients) {
        int length = context.batch().sequenceTokens();
        double scale = context.gradientScale(term);
        var gradient = new double[experts.length * count()];
        for (int token = 0; token < experts.length; token++) {
            var byProbability = new double[count()];
            double mean = 0;
            for (int expert = 0; expert < count(); expert++) {
                byProbability[expert] = scale * count() * fraction(context, token / length, expert) / length;
                byProbability[expert] += expert == experts[token] ? gateGradients[token] : 0;
                mean += probabilities[token][expert] * byProbability[expert];
            }
            for (int expert = 0; expert < count(); expert++) {
                gradient[token * count() + expert] = probabilities[token][expert] * (byProbability[expert] - mean);
            }
        }
        return Host.tensor(context, gradient, Shape.of(experts.length, count()));
    }
}
