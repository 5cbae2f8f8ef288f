package io.hirundo.optimizerlion.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.lib.optimizer.UpdatePiece;
import io.hirundo.lib.optimizer.WeightUpdates;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/** Lion bound to the parameters of a run. */
final class LionRun implements OptimizerRun {
    private final LionOptions options;
    private final ArithmeticKernels arithmetic;
    private final WeightUpdates updates;
    private final List<Parameter> parameters;
    private final StateTensors means;
    private final Optional<Tensor> scratch;

    /**
     * @param updates of the parameters; owned
     * @param means of the parameters' gradients; owned
     * @param scratch memory for an update; owned, and empty if there are no parameters
     */
    LionRun(
            LionOptions options,
            ArithmeticKernels arithmetic,
            WeightUpdates updates,
            List<Parameter> parameters,
            StateTensors means,
            Optional<Tensor> scratch) {
        this.options = options;
        this.arithmetic = arithmetic;
        this.updates = updates;
        this.parameters = List.copyOf(parameters);
        this.means = means;
        this.scratch = scratch;
    }

    @Override
    public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
        updates.run(
                queue,
                step,
                parameters,
                pieces -> pieces.forEach(piece -> update(queue, piece, learningRate, gradientCoefficient1)));
    }

    private void update(Queue queue, UpdatePiece piece, double learningRate, Tensor gradientCoefficient1) {
        double weightDecay = piece.parameter().spec().isMatrix() ? options.weightDecay() : 0;
        Tensor mean = piece.of(means.of(piece.parameter(), Lion.MEAN), 1);
        long all = piece.valueN().elements();
        for (long first = 0; first < all; first += Lion.MAX_RUN) {
            Shape run = Shape.of(Math.min(Lion.MAX_RUN, all - first));
            Tensor g = piece.gradientN().view(first, run);
            Tensor m = mean.view(first, run);
            Tensor u = scratch.orElseThrow().view(0, run);
            arithmetic.axpby(queue, Factor.of(options.beta1()), m, 0, u);
            arithmetic.axpby(queue, Factor.of(1 - options.beta1(), gradientCoefficient1), g, 1, u);
            arithmetic.sign(queue, u);
            arithmetic.axpby(
                    queue,
                    Factor.of(-learningRate),
                    u,
                    1 - learningRate * weightDecay,
                    piece.valueN().view(first, run));
            arithmetic.axpby(queue, Factor.of(1 - options.beta2(), gradientCoefficient1), g, options.beta2(), m);
        }
    }

    @Override
    public List<State> state() {
        return means.list();
    }

    @Override
    public void close() {
        updates.close();
        means.close();
        scratch.ifPresent(Tensor::close);
    }
}
