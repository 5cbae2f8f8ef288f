package io.hirundo.lib.engine.audit;

import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.check.CheckedMath;
import io.hirundo.lib.engine.check.GemmObserver;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.oracle.ElementError;
import io.hirundo.lib.oracle.Rounding;
import io.hirundo.lib.oracle.TileCheck;
import io.hirundo.lib.oracle.gemm.DeviceRows;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recomputes a tile with the run's precision strategy on the run's device, from the saved operands. The layer of the replay is as small as
 * the tile, so the device may choose another kernel. The result is checked against the operands that the replay multiplies.
 */
final class TileReplay implements GemmObserver {
    private static final Logger LOG = LoggerFactory.getLogger(TileReplay.class);

    static final String WRONG_AGAIN = "recomputed it is wrong again: the program or its settings are at fault";
    static final String RIGHT = "recomputed it is right: the device may be flaky";

    private final Device device;
    private final Queue queue;
    private final Opened opened = new Opened();
    private ElementError error = ElementError.NONE;

    private TileReplay(Device device, Queue queue) {
        this.device = device;
        this.queue = queue;
    }

    /** Describes the result of the replay. Waits for the queue. */
    static String of(Device device, Queue queue, PrecisionStrategy precision, Finding.Replayed replayed) {
        try {
            return new TileReplay(device, queue).replay(precision, replayed);
        } catch (HirundoException | IllegalArgumentException | IllegalStateException failure) {
            return "it could not be recomputed: " + Reason.of(failure);
        }
    }

    /**
     * Replays a tile of zeros of each kind of GEMM, so that a later replay needs no memory that this one does not. Logs which kinds cannot
     * be replayed. Waits for the queue.
     */
    static void rehearse(Device device, Queue queue, PrecisionStrategy precision, List<GemmPlan> plans) {
        var seen = new HashSet<GemmPlan>();
        for (GemmPlan plan : plans) {
            if (!seen.add(plan.named(""))) {
                continue;
            }
            String result = of(
                    device,
                    queue,
                    precision,
                    new Finding.Replayed(plan.layer(), plan.product(), CapturedTile.Numbers.zeros(plan)));
            if (!result.equals(RIGHT)) {
                LOG.warn("audit: if the {} of {} is wrong, {}", Finding.nameOf(plan.product()), plan.layer(), result);
            }
        }
    }

    private String replay(PrecisionStrategy precision, Finding.Replayed replayed) {
        CapturedTile.Numbers numbers = replayed.numbers();
        double[][] left = numbers.leftMK();
        double[][] right = numbers.rightNK();
        boolean ofWeight = replayed.product() == LinearProduct.WEIGHT_GRADIENT;
        var shape = switch (replayed.product()) {
            case OUTPUT -> new LinearShape(replayed.layer(), right.length, right[0].length);
            case INPUT_GRADIENT -> new LinearShape(replayed.layer(), right[0].length, right.length);
            case WEIGHT_GRADIENT -> new LinearShape(replayed.layer(), left.length, right.length);
        };
        Support support = precision.supports(device.info(), shape);
        if (!support.supported()) {
            return "it could not be recomputed: " + support.reason();
        }
        try (var _ = (AutoCloseable) opened::close) {
            Shape weightShape = Shape.of(shape.outputs(), shape.inputs());
            DType gradientType = Parameter.updateType(precision.parameterType());
            Tensor wNK = ofWeight
                    ? zeros(weightShape, precision.parameterType())
                    : upload(
                            replayed.product() == LinearProduct.OUTPUT ? right : CapturedTile.transposed(right),
                            precision.parameterType());
            Tensor dwNK = numbers.beforeMN() == null
                    ? zeros(weightShape, gradientType)
                    : upload(numbers.beforeMN(), gradientType);
            LinearMath math = opened.add(precision.bind(device, shape), LinearMath::close);
            PreparedWeight prepared = opened.add(math.prepare(queue, wNK, null), PreparedWeight::close);
            var observed = new CheckedMath(math, this, () -> wNK);
            DType activations = precision.activationType();
            switch (replayed.product()) {
                case OUTPUT ->
                    observed.forward(
                            queue,
                            upload(left, activations),
                            prepared,
                            zeros(Shape.of(left.length, right.length), activations));
                case INPUT_GRADIENT ->
                    observed.inputGradient(
                            queue,
                            upload(left, activations),
                            prepared,
                            zeros(Shape.of(left.length, right.length), activations));
                case WEIGHT_GRADIENT ->
                    observed.weightGradient(
                            queue,
                            upload(CapturedTile.transposed(left), activations),
                            upload(CapturedTile.transposed(right), activations),
                            dwNK);
            }
            queue.drain();
            return error.isWrong() ? WRONG_AGAIN : RIGHT;
        } catch (HirundoException | IllegalArgumentException | IllegalStateException known) {
            throw known;
        } catch (Exception unknown) {
            throw new IllegalStateException(unknown);
        }
    }

    private Tensor allocate(Shape shape, DType dtype) {
        return opened.add(device.allocate(MemoryCategory.WORKSPACE, shape, dtype), Tensor::close);
    }

    private Tensor zeros(Shape shape, DType dtype) {
        Tensor tensor = allocate(shape, dtype);
        device.kernels().elementwise().fill(queue, tensor, 0);
        return tensor;
    }

    private Tensor upload(double[][] matrix, DType dtype) {
        Shape shape = Shape.of(matrix.length, matrix[0].length);
        DType exact = dtype.statisticsType();
        Tensor uploaded = allocate(shape, exact);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(uploaded.byteSize(), Double.BYTES);
            long at = 0;
            for (double[] row : matrix) {
                for (double value : row) {
                    if (exact == DType.FP64) {
                        host.setAtIndex(ValueLayout.JAVA_DOUBLE, at++, value);
                    } else {
                        host.setAtIndex(ValueLayout.JAVA_FLOAT, at++, (float) value);
                    }
                }
            }
            device.transfer().uploadAtOnce(queue, host, uploaded);
        }
        if (exact == dtype) {
            return uploaded;
        }
        Tensor narrow = allocate(shape, dtype);
        device.kernels().elementwise().copy(queue, uploaded, narrow);
        return narrow;
    }

    @Override
    public void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        observe(work, left, right, result, false);
    }

    @Override
    public void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        observe(work, left, right, result, true);
    }

    private void observe(Runnable work, Observed left, Observed right, Tensor result, boolean added) {
        double[][] before = added ? read(MultipliedOperand.stored(result, true)) : null;
        work.run();
        try (MultipliedOperand ofRows = left.multiplied().get();
                MultipliedOperand ofColumns = right.multiplied().get()) {
            error = TileCheck.worst(
                    read(ofRows),
                    read(ofColumns),
                    before,
                    read(MultipliedOperand.stored(result, true)),
                    Rounding.of(result.dtype()));
        }
    }

    /** The operand as [rows, K]. */
    private double[][] read(MultipliedOperand operand) {
        try (var rows = DeviceRows.of(device, queue, operand)) {
            double[][] matrix = new double[Math.toIntExact(rows.rows())][rows.columns()];
            for (int row = 0; row < matrix.length; row++) {
                rows.read(row, 0, matrix[row].length, matrix[row]);
            }
            return operand.contractedLast() ? matrix : CapturedTile.transposed(matrix);
        }
    }
}
