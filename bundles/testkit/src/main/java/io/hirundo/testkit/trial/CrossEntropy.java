package io.hirundo.testkit.trial;

import io.hirundo.model.layer.MicroBatch;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.Arrays;

/** The loss that logits have. */
public final class CrossEntropy {
    private CrossEntropy() {}

    /** Sum over the tokens of a batch, in nats, weighted by its loss mask. */
    public static double of(Bench bench, MicroBatch batch, Tensor logitsTV) {
        double[] logits = bench.read(logitsTV);
        double[] labels = bench.read(batch.labelsT());
        double[] weights = bench.read(batch.lossWeightsT());
        int vocabulary = (int) logitsTV.shape().dim(-1);
        if (logits.length != labels.length * vocabulary) {
            throw new AssertionError("logits of shape " + logitsTV.shape() + " for " + labels.length + " tokens");
        }
        double loss = 0;
        for (int token = 0; token < labels.length; token++) {
            double maximum = Arrays.stream(logits, token * vocabulary, (token + 1) * vocabulary)
                    .max()
                    .orElseThrow();
            double sum = 0;
            for (int i = token * vocabulary; i < (token + 1) * vocabulary; i++) {
                sum += Math.exp(logits[i] - maximum);
            }
            loss += weights[token] * (maximum + Math.log(sum) - logits[token * vocabulary + (int) labels[token]]);
        }
        return loss;
    }
}
