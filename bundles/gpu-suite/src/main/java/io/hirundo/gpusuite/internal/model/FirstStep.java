package io.hirundo.gpusuite.internal.model;

import io.hirundo.device.Queue;
import io.hirundo.gpusuite.internal.part.HostCopy;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The first step of a training run.
 *
 * @param loss loss in nats
 * @param gradients gradients by parameter, before clipping
 */
record FirstStep(double loss, Map<String, float[]> gradients) {
    static FirstStep of(Trainer trainer, Map<String, Object> configuration) {
        try (TrainingRun run = trainer.prepare(configuration);
                Queue queue = run.device().newQueue("gradients")) {
            double loss = run.step().loss();
            var gradients = new LinkedHashMap<String, float[]>();
            for (var parameter : run.parameters()) {
                gradients.put(parameter.spec().name(), HostCopy.of(run.device(), queue, parameter.gradient()));
            }
            return new FirstStep(loss, gradients);
        }
    }

    /** The difference of the other step's loss, relative to this one. */
    double lossDifference(FirstStep other) {
        return Math.abs(other.loss - loss) / Math.abs(loss);
    }

    /** By parameter: norm of the difference divided by the norm of this gradient. */
    Map<String, Double> gradientDifferences(FirstStep other) {
        var differences = new LinkedHashMap<String, Double>();
        gradients.forEach((name, values) -> differences.put(name, difference(values, other.gradients.get(name))));
        return differences;
    }

    private static double difference(float[] expected, float[] actual) {
        double squares = 0;
        double all = 0;
        for (int i = 0; i < expected.length; i++) {
            double difference = (double) actual[i] - expected[i];
            squares += difference * difference;
            all += (double) expected[i] * expected[i];
        }
        return Math.sqrt(squares / all);
    }
}
