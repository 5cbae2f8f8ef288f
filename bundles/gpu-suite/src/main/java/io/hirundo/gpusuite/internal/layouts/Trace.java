package io.hirundo.gpusuite.internal.layouts;

import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.gpusuite.internal.part.HostCopy;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.tensor.Tensor;
import io.hirundo.train.Trainer;
import io.hirundo.train.TrainingRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of a training run.
 *
 * @param losses loss of each step, in nats
 * @param norms gradient norm of each step
 * @param gradients gradients of the first step by published name, as far as the first rank has them
 */
record Trace(List<Double> losses, List<Double> norms, Map<String, Piece> gradients) {
    /** A shard of a published tensor. */
    static final class Piece {
        private final ParameterPart part;
        private final float[] values;

        Piece(ParameterPart part, float[] values) {
            this.part = part;
            this.values = values;
        }

        /**
         * The difference from the same region of the full tensor: norm of the difference divided by the norm.
         *
         * @param whole the full tensor
         */
        double differenceFrom(Piece whole) {
            int columns = columns(part.shape().dims());
            int stride = columns(part.globalShape().dims());
            int begin = (int) (part.offset().getFirst() * stride
                    + (part.offset().size() == 1 ? 0 : part.offset().get(1)));
            double squares = 0;
            double all = 0;
            for (int i = 0; i < values.length; i++) {
                double expected = whole.values[begin + i / columns * stride + i % columns];
                double difference = values[i] - expected;
                squares += difference * difference;
                all += expected * expected;
            }
            return Math.sqrt(squares / all);
        }

        private static int columns(List<Long> dims) {
            return dims.size() == 1 ? 1 : Math.toIntExact(dims.get(1));
        }
    }

    /**
     * Trains.
     *
     * @param ofGradients whether to collect the gradients of the first step
     */
    static Trace of(Trainer trainer, Map<String, Object> configuration, int steps, boolean ofGradients) {
        var losses = new ArrayList<Double>();
        var norms = new ArrayList<Double>();
        var gradients = new LinkedHashMap<String, Piece>();
        try (TrainingRun run = trainer.prepare(configuration)) {
            for (int step = 0; step < steps; step++) {
                StepMetrics metrics = run.step();
                losses.add(metrics.loss());
                norms.add(metrics.gradientNorm());
                if (step == 0 && ofGradients) {
                    collect(run, gradients);
                }
            }
        }
        return new Trace(losses, norms, gradients);
    }

    private static void collect(TrainingRun run, Map<String, Piece> gradients) {
        try (Queue queue = run.device().newQueue("gradients")) {
            for (Parameter parameter : run.parameters()) {
                Tensor gradient = parameter.gradient();
                long first = 0;
                for (ParameterPart part : parameter.spec().parts()) {
                    gradients.put(
                            part.path(),
                            new Piece(part, HostCopy.of(run.device(), queue, gradient.view(first, part.shape()))));
                    first += part.shape().elements();
                }
            }
        }
    }
}
