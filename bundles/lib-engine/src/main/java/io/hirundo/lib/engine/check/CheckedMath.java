package io.hirundo.lib.engine.check;

import io.hirundo.device.Queue;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.precision.StepMemory;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import java.util.function.Supplier;

/** Wraps the {@link LinearMath} of a layer and passes each GEMM through an observer. Results are unchanged. */
public final class CheckedMath implements LinearMath {
    private final LinearMath math;
    private final GemmObserver checks;
    private final Supplier<Tensor> weight;

    /**
     * Owns none of its arguments.
     *
     * @param weight the unquantized weight, requested after each GEMM; null if only its quantized values were gathered
     */
    public CheckedMath(LinearMath math, GemmObserver checks, Supplier<Tensor> weight) {
        this.math = math;
        this.checks = checks;
        this.weight = weight;
    }

    @Override
    public Optional<DType> weightType() {
        return math.weightType();
    }

    /** Exceptions propagate, because preparation may contain a collective for which other ranks wait. */
    @Override
    public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
        return math.prepare(queue, wNK, reuse);
    }

    @Override
    public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
        var product = LinearProduct.OUTPUT;
        checks.product(
                product,
                () -> math.forward(queue, xTK, weight, yTN),
                operand(queue, product, Operand.INPUT, xTK),
                prepared(product, weight),
                yTN);
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
        inputGradient(queue, dyTN, weight, dxTK, () -> math.inputGradient(queue, dyTN, weight, dxTK));
    }

    private void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK, Runnable work) {
        var product = LinearProduct.INPUT_GRADIENT;
        checks.product(
                product, work, operand(queue, product, Operand.OUTPUT_GRADIENT, dyTN), prepared(product, weight), dxTK);
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
        weightGradient(queue, dyTN, xTK, dwNK, () -> math.weightGradient(queue, dyTN, xTK, dwNK));
    }

    private void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK, Runnable work) {
        var product = LinearProduct.WEIGHT_GRADIENT;
        checks.added(
                product,
                work,
                operand(queue, product, Operand.OUTPUT_GRADIENT, dyTN),
                operand(queue, product, Operand.INPUT, xTK),
                dwNK);
    }

    private void weightGradient(Queue queue, Tensor dyTN, PackedOperand x, Tensor dwNK, Runnable work) {
        var product = LinearProduct.WEIGHT_GRADIENT;
        checks.added(
                product,
                work,
                operand(queue, product, Operand.OUTPUT_GRADIENT, dyTN),
                CheckedPacked.overTokens(math, queue, Operand.INPUT, x),
                dwNK);
    }

    private GemmObserver.Observed operand(Queue queue, LinearProduct product, Operand operand, Tensor x) {
        return new GemmObserver.Observed(operand, () -> math.multiplied(queue, product, operand, x), () -> x);
    }

    private GemmObserver.Observed prepared(LinearProduct product, PreparedWeight prepared) {
        return weight(math, weight, product, prepared);
    }

    /** The weight as a GEMM multiplies it. {@code weight}: the unquantized weight; null if it is absent. */
    public static GemmObserver.Observed weight(
            LinearMath math, Supplier<Tensor> weight, LinearProduct product, PreparedWeight prepared) {
        return new GemmObserver.Observed(
                Operand.WEIGHT,
                () -> math.multiplied(product, prepared)
                        .or(() -> Optional.ofNullable(weight.get())
                                .map(wNK -> MultipliedOperand.stored(wNK, product.contractsLast(Operand.WEIGHT))))
                        .orElse(null),
                weight);
    }

    @Override
    public GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
        GradientPair pair = checks.attempted(dyTN, () -> math.gradients(queue, dyTN, weight, dwNK));
        return new GradientPair() {
            @Override
            public void input(Tensor dxTK) {
                inputGradient(queue, dyTN, weight, dxTK, () -> pair.input(dxTK));
            }

            @Override
            public void weight(Tensor xTK) {
                weightGradient(queue, dyTN, xTK, dwNK, () -> pair.weight(xTK));
            }

            @Override
            public void weight(PackedOperand x) {
                weightGradient(queue, dyTN, x, dwNK, () -> pair.weight(x));
            }

            @Override
            public void close() {
                if (pair != null) {
                    pair.close();
                }
            }
        };
    }

    @Override
    public Optional<PackedProducts> packed() {
        return math.packed().map(packed -> new CheckedPacked(math, packed, checks, weight));
    }

    @Override
    public MultipliedOperand multiplied(Queue queue, LinearProduct product, Operand operand, Tensor x) {
        return math.multiplied(queue, product, operand, x);
    }

    @Override
    public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
        return math.multiplied(product, weight);
    }

    @Override
    public Optional<WeightCoding> coding() {
        return math.coding();
    }

    @Override
    public Optional<RoundingLoss> roundingLoss(Queue queue, Operand operand, Tensor x) {
        return math.roundingLoss(queue, operand, x);
    }

    @Override
    public boolean roundsOperands() {
        return math.roundsOperands();
    }

    @Override
    public Optional<StepMemory> memory() {
        return math.memory();
    }

    /** Closes nothing, because the wrapped math belongs to the layer. */
    @Override
    public void close() {}
}
