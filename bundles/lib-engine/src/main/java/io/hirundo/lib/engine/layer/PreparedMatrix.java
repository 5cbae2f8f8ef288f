package io.hirundo.lib.engine.layer;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.audit.AuditedLayer;
import io.hirundo.lib.engine.check.CheckedMath;
import io.hirundo.lib.engine.check.GemmChecks;
import io.hirundo.lib.engine.check.GemmFailure;
import io.hirundo.lib.engine.check.GemmObserver;
import io.hirundo.lib.engine.check.LayerErrors;
import io.hirundo.lib.oracle.gemm.DeviceRows;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.parallel.PackedMatrix;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The weight of a linear layer with its {@link LinearMath} and the prepared (for example quantized) copy of the weight. Closes both. */
final class PreparedMatrix implements LocalMatrix, AuditedLayer, AutoCloseable {
    /** An odd number of rows above one, to test kernels on sizes that no tile divides. */
    private static final long TEST_ROWS = 7;

    private static final String OUTPUT = GemmFailure.nameOf(LinearProduct.OUTPUT);
    private static final String INPUT_GRADIENT = GemmFailure.nameOf(LinearProduct.INPUT_GRADIENT);
    private static final String WEIGHT_GRADIENT = GemmFailure.nameOf(LinearProduct.WEIGHT_GRADIENT);

    private final Parameter weight;
    /** The math of the precision strategy, closed together with this object. */
    private final LinearMath own;

    private LinearMath math;
    /** Null unless {@link #beginChecks} is active. */
    private GemmChecks checks;

    private PreparedWeight prepared;
    /** Whether only quantized values were gathered, so that the weight has no unquantized value. */
    private boolean isCoded;
    /** Null if no observer is registered. */
    private OperandObserver observer;

    /** Quantization error since {@link #beginRounding}; null if it is not measured. */
    private Map<Operand, RoundingLoss> rounding;

    PreparedMatrix(Parameter weight, LinearMath math) {
        this.weight = weight;
        this.own = math;
        this.math = math;
    }

    @Override
    public Parameter weight() {
        return weight;
    }

    @Override
    public void forward(Queue queue, Tensor xTK, Tensor yTN) {
        math.forward(queue, xTK, prepared, yTN);
        if (rounding != null && !rounding.containsKey(Operand.WEIGHT)) {
            measure(queue, Operand.WEIGHT, weight.value());
        }
    }

    @Override
    public void inputGradient(Queue queue, Tensor dyTN, Tensor dxTK) {
        math.inputGradient(queue, dyTN, prepared, dxTK);
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK) {
        if (observer != null) {
            observer.operands(queue, weight, xTK, dyTN);
        }
        // Measured in the backward pass, because recomputation runs the forward pass twice per microbatch.
        if (rounding != null) {
            measure(queue, Operand.INPUT, xTK);
            measure(queue, Operand.OUTPUT_GRADIENT, dyTN);
        }
        math.weightGradient(queue, dyTN, xTK, weight.gradient());
    }

    /** Computes both gradients separately if an observer needs the operands of each GEMM. */
    @Override
    public GradientPair gradients(Queue queue, Tensor dyTN) {
        return isObserved()
                ? LocalMatrix.super.gradients(queue, dyTN)
                : math.gradients(queue, dyTN, prepared, weight.gradient());
    }

    /** Sets the observer of the operands; null removes it. */
    void observe(OperandObserver other) {
        observer = other;
    }

    /** Whether quantization error is measured or operands are reported to an observer. */
    private boolean isObserved() {
        return rounding != null || observer != null;
    }

    private void measure(Queue queue, Operand operand, Tensor x) {
        math.roundingLoss(queue, operand, x).ifPresent(loss -> rounding.merge(operand, loss, RoundingLoss::plus));
    }

    /** Starts to measure the quantization error of all operands. */
    void beginRounding() {
        rounding = new EnumMap<>(Operand.class);
    }

    /** Returns the quantization error since {@link #beginRounding} and stops measuring. Empty if no operand is quantized. */
    Map<Operand, RoundingLoss> endRounding() {
        Map<Operand, RoundingLoss> measured = rounding;
        rounding = null;
        return measured;
    }

    /** Empty while operands are observed or measured, because observers need unquantized values. */
    @Override
    public Optional<PackedMatrix> packed() {
        return isObserved()
                ? Optional.empty()
                : math.packed().map(products -> new PackedMatrix(products, prepared, weight.gradient()));
    }

    /**
     * Runs the forward and backward GEMMs once on a few rows of zeros and a zero weight of this shape. The memory of the prepared weight
     * stays allocated.
     *
     * @throws ConfigurationException if the weight gradient is overwritten instead of accumulated
     */
    void rehearse(Device device, Queue queue, PrecisionStrategy precision) {
        DType parameterType = precision.parameterType();
        DType activationType = precision.activationType();
        Shape shape = weight.spec().shape();
        try (Tensor wNK = filled(device, queue, shape, math.weightType().orElse(parameterType), 0);
                Tensor dwNK = filled(device, queue, shape, Parameter.updateType(parameterType), 1);
                Tensor xTK = filled(device, queue, Shape.of(TEST_ROWS, shape.dim(1)), activationType, 0);
                Tensor yTN = filled(device, queue, Shape.of(TEST_ROWS, shape.dim(0)), activationType, 0)) {
            GemmFailure.Layer layer = checkedLayer();
            layer.attempt("the preparation", -1, () -> prepared = math.prepare(queue, wNK, prepared));
            layer.attempt(OUTPUT, TEST_ROWS, () -> math.forward(queue, xTK, prepared, yTN));
            layer.attempt(INPUT_GRADIENT, TEST_ROWS, () -> math.inputGradient(queue, yTN, prepared, xTK));
            layer.attempt(WEIGHT_GRADIENT, TEST_ROWS, () -> math.weightGradient(queue, yTN, xTK, dwNK));
            layer.attempt("both gradients", TEST_ROWS, () -> {
                try (GradientPair gradients = math.gradients(queue, yTN, prepared, dwNK)) {
                    gradients.input(xTK);
                    gradients.weight(xTK);
                }
            });
            requireOnes(device, queue, dwNK);
            queue.drain();
        }
    }

    /**
     * Gradients start at one and the operands are zero, so accumulation must leave ones. A training microbatch starts at zero and cannot
     * detect an overwrite.
     */
    private void requireOnes(Device device, Queue queue, Tensor dwNK) {
        if (!device.computes()) {
            return;
        }
        try (var rows = new DeviceRows(device, queue, dwNK)) {
            double[] row = new double[rows.columns()];
            for (long index = 0; index < rows.rows(); index++) {
                rows.read(index, 0, row.length, row);
                if (Arrays.stream(row).anyMatch(value -> value != 1)) {
                    throw new ConfigurationException("precision: it replaces the weight gradient of "
                            + weight.spec().name() + ", to which it must add; choose another one");
                }
            }
        }
    }

    private static Tensor filled(Device device, Queue queue, Shape shape, DType dtype, double value) {
        Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, shape, dtype);
        device.kernels().elementwise().fill(queue, tensor, value);
        return tensor;
    }

    LinearMath math() {
        return math;
    }

    @Override
    public String name() {
        return weight.spec().name();
    }

    private GemmFailure.Layer checkedLayer() {
        return new GemmFailure.Layer(name(), weight.spec().shape());
    }

    /** Number of elements of the weight. */
    long elements() {
        return weight.spec().shape().elements();
    }

    /** Whether no rank has a part of the sum that is the weight's gradient; false for weights that pipeline stages or tensor ranks share. */
    boolean isAlone() {
        return weight.spec().parts().stream().noneMatch(part -> part.replicas().partialGradients());
    }

    @Override
    public void observeGemms(GemmObserver observer) {
        math = observer == null ? own : new CheckedMath(own, observer, () -> isCoded ? null : weight.value());
    }

    /** Checks every GEMM against a reference until {@link #endChecks}. */
    void beginChecks(Device device, Queue queue) {
        checks = new GemmChecks(device, queue, checkedLayer());
        observeGemms(checks);
    }

    /** If only quantized values were gathered before: compares these with the unquantized weight, which is available now. */
    void checkGatheredWeight() {
        if (isCoded) {
            for (LinearProduct product : List.of(LinearProduct.OUTPUT, LinearProduct.INPUT_GRADIENT)) {
                checks.weight(product, CheckedMath.weight(own, weight::value, product, prepared));
            }
        }
    }

    /** Returns the errors since {@link #beginChecks} and stops checking. */
    LayerErrors endChecks() {
        observeGemms(null);
        LayerErrors errors = checks.errors();
        checks = null;
        return errors;
    }

    /** Prepares the weight from its unquantized values. */
    void prepare(Queue queue) {
        prepare(queue, Optional.empty());
    }

    /** {@code coded}: the quantized weight, if the data-parallel strategy gathered it in quantized form. */
    void prepare(Queue queue, Optional<CodedWeight> coded) {
        isCoded = coded.isPresent();
        prepared = isCoded
                ? math.coding().orElseThrow().prepare(queue, coded.get(), prepared)
                : math.prepare(queue, weight.value(), prepared);
    }

    /** Frees the prepared weight, unless {@link #checkGatheredWeight} needs it after the GEMMs. */
    void release() {
        if (prepared != null && (checks == null || !isCoded)) {
            prepared.close();
            prepared = null;
        }
    }

    @Override
    public void close() {
        try {
            if (prepared != null) {
                prepared.close();
            }
        } finally {
            own.close();
        }
    }
}
