package io.hirundo.testkit.precision;

import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.precision.StepMemory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * Forwards the three GEMMs of a layer, and what is said of them; tests override some methods. Shortcuts that would pass by an overridden GEMM
 * are left out: both gradients in one pass, quantized weights, and operands that are transferred quantized.
 */
public class ForwardingMath implements LinearMath {
    private final LinearMath real;

    /** Takes ownership of the other one. */
    public ForwardingMath(LinearMath real) {
        this.real = real;
    }

    @Override
    public Optional<DType> weightType() {
        return real.weightType();
    }

    @Override
    public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
        return real.prepare(queue, wNK, reuse);
    }

    @Override
    public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
        real.forward(queue, xTK, weight, yTN);
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
        real.inputGradient(queue, dyTN, weight, dxTK);
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
        real.weightGradient(queue, dyTN, xTK, dwNK);
    }

    @Override
    public MultipliedOperand multiplied(Queue queue, LinearProduct product, Operand operand, Tensor x) {
        return real.multiplied(queue, product, operand, x);
    }

    @Override
    public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
        return real.multiplied(product, weight);
    }

    @Override
    public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
        return real.roundingLoss(queue, operand, x);
    }

    @Override
    public boolean roundsOperands() {
        return real.roundsOperands();
    }

    @Override
    public Optional<StepMemory> memory() {
        return real.memory();
    }

    @Override
    public void close() {
        real.close();
    }
}
