package io.hirundo.lib.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels.AdamWOperands;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * AdamW by the device's kernel: first for parameters with weight decay, then for those without. The formula is that of {@link
 * OptimizerKernels#adamW}.
 *
 * @param beta1 decay of the first moment
 * @param beta2 decay of the second moment
 * @param epsilon added to the root of the second moment
 * @param weightDecay of matrices; vectors never decay
 */
public record AdamWUpdate(double beta1, double beta2, double epsilon, double weightDecay) {
    /** Named as in PyTorch's AdamW: the running mean of gradients. */
    public static final String FIRST_MOMENT = "exp_avg";

    /** The running mean of squared gradients. */
    public static final String SECOND_MOMENT = "exp_avg_sq";

    /** The state that a parameter of this dtype needs; FP32 for BF16, in which moments would stand still. */
    public static List<StateSpec> state(DType parameterType) {
        DType dtype = WeightUpdates.type(parameterType);
        // Bias correction assumes that both began at zero before step 1.
        return List.of(new StateSpec(FIRST_MOMENT, dtype, true), new StateSpec(SECOND_MOMENT, dtype, true));
    }

    /**
     * One step.
     *
     * @param updates of the parameters
     * @param parameters whose moments are among {@code states}
     */
    public void step(
            Queue queue,
            OptimizerKernels kernels,
            WeightUpdates updates,
            List<Parameter> parameters,
            StateTensors states,
            long step,
            double learningRate,
            Tensor gradientCoefficient1) {
        for (boolean matrices : new boolean[] {true, false}) {
            var coefficients =
                    new AdamWCoefficients(learningRate, beta1, beta2, epsilon, matrices ? weightDecay : 0, step);
            List<Parameter> some = parameters.stream()
                    .filter(each -> each.spec().isMatrix() == matrices)
                    .toList();
            updates.run(
                    queue,
                    step,
                    some,
                    pieces -> kernels.adamW(
                            queue,
                            coefficients,
                            gradientCoefficient1,
                            pieces.stream().map(each -> operands(each, states)).toList()));
        }
    }

    private static AdamWOperands operands(UpdatePiece piece, StateTensors states) {
        return new AdamWOperands(
                piece.gradientN(),
                piece.valueN(),
                moment(piece, states, FIRST_MOMENT),
                moment(piece, states, SECOND_MOMENT));
    }

    private static Tensor moment(UpdatePiece piece, StateTensors states, String name) {
        return piece.of(states.of(piece.parameter(), name), 1);
    }
}
