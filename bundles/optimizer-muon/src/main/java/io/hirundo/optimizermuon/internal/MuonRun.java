package io.hirundo.optimizermuon.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.lib.optimizer.AdamWUpdate;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.lib.optimizer.WeightUpdates;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Muon bound to the parameters of a run. */
final class MuonRun implements OptimizerRun {
    /** The root mean square of an update of AdamW, which Moonlight measured; so both take the same learning rate. */
    private static final double UPDATE_SIZE = 0.2;

    private final MuonOptions options;
    private final OptimizerKernels kernels;
    private final ArithmeticKernels arithmetic;
    private final NewtonSchulz newtonSchulz;
    private final WeightUpdates updates;
    private final List<Parameter> matrices;
    private final List<Parameter> others;
    private final StateTensors states;
    private final AdamWUpdate adamW;

    /**
     * @param newtonSchulz owned
     * @param updates of all parameters; owned
     * @param matrices complete parameters that Muon updates
     * @param others what AdamW updates
     * @param states of both; owned
     */
    MuonRun(
            MuonOptions options,
            OptimizerKernels kernels,
            ArithmeticKernels arithmetic,
            NewtonSchulz newtonSchulz,
            WeightUpdates updates,
            List<Parameter> matrices,
            List<Parameter> others,
            StateTensors states) {
        this.options = options;
        this.kernels = kernels;
        this.arithmetic = arithmetic;
        this.newtonSchulz = newtonSchulz;
        this.updates = updates;
        this.matrices = matrices;
        this.others = others;
        this.states = states;
        adamW = new AdamWUpdate(options.beta1(), options.beta2(), options.epsilon(), options.weightDecay());
    }

    @Override
    public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
        for (Parameter parameter : matrices) {
            Tensor momentum = states.of(parameter, Muon.MOMENTUM);
            arithmetic.axpby(
                    queue, Factor.of(1, gradientCoefficient1), parameter.gradient(), options.momentum(), momentum);
            Matrix.of(parameter)
                    .forEach(matrix -> update(queue, matrix, momentum, step, learningRate, gradientCoefficient1));
        }
        adamW.step(queue, kernels, updates, others, states, step, learningRate, gradientCoefficient1);
    }

    /** {@code momentumOfWhole}: of the parameter. */
    private void update(
            Queue queue,
            Matrix matrix,
            Tensor momentumOfWhole,
            long step,
            double learningRate,
            Tensor gradientCoefficient1) {
        Shape shape = matrix.shape();
        Tensor momentum = matrix.in(momentumOfWhole).view(0, shape);
        Tensor update = newtonSchulz.matrix(shape);
        if (options.nesterov()) {
            arithmetic.axpby(
                    queue, Factor.of(1, gradientCoefficient1), matrix.gradient().view(0, shape), 0, update);
            arithmetic.axpby(queue, Factor.of(options.momentum()), momentum, 1, update);
        } else {
            arithmetic.axpby(queue, Factor.of(1), momentum, 0, update);
        }
        Tensor orthogonal = newtonSchulz.orthogonalize(queue, shape, options.iterations());
        // An orthogonal matrix [R, C] has a root mean square of 1 / sqrt(max(R, C)).
        double rate = learningRate * UPDATE_SIZE * Math.sqrt(Math.max(shape.dim(0), shape.dim(1)));
        double kept = 1 - learningRate * options.weightDecay();
        updates.run(
                queue,
                step,
                List.of(matrix),
                pieces -> pieces.forEach(piece -> {
                    Tensor ofPiece = orthogonal.view(
                            piece.first(), Shape.of(piece.valueN().elements()));
                    arithmetic.axpby(queue, Factor.of(-rate), ofPiece, kept, piece.valueN());
                }));
    }

    @Override
    public List<State> state() {
        return states.list();
    }

    @Override
    public void close() {
        updates.close();
        states.close();
        newtonSchulz.close();
    }
}
