package io.hirundo.lib.engine.check;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.oracle.gemm.DeviceGemm;
import io.hirundo.lib.oracle.gemm.DeviceRows;
import io.hirundo.lib.oracle.gemm.GemmError;
import io.hirundo.lib.oracle.gemm.OperandError;
import io.hirundo.lib.oracle.gemm.ResultSums;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a layer's GEMMs one by one and keeps the largest error of each kind. An exception of the strategy is recorded and ends the checks
 * of this layer, but the surrounding step continues, because other ranks wait for its collectives.
 */
public final class GemmChecks implements GemmObserver {
    private static final Logger LOG = LoggerFactory.getLogger(GemmChecks.class);

    private final Device device;
    private final Queue queue;
    private final GemmFailure.Layer layer;
    private final Map<LinearProduct, LayerErrors.GemmErrors> found = new EnumMap<>(LinearProduct.class);
    private boolean unchecked;
    private GemmFailure failure;

    /** {@code queue}: the queue of all GEMMs. */
    public GemmChecks(Device device, Queue queue, GemmFailure.Layer layer) {
        this.device = device;
        this.queue = queue;
        this.layer = layer;
    }

    @Override
    public void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        attempt(product, result, () -> {
            work.run();
            keep(product, left, right, null, result);
        });
    }

    @Override
    public void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        attempt(GemmFailure.nameOf(product), tokens(left, right), () -> {
            ResultSums before = DeviceGemm.sums(device, queue, result);
            work.run();
            keep(product, left, right, before, result);
        });
    }

    /** Does nothing after a failure. */
    @Override
    public void attempt(LinearProduct product, Tensor rowsT, Runnable work) {
        attempt(GemmFailure.nameOf(product), rowsT.shape().rows(), work);
    }

    private void attempt(String what, long tokens, Runnable work) {
        if (failure != null) {
            return;
        }
        try {
            layer.attempt(what, tokens, work);
        } catch (GemmFailure thrown) {
            LOG.warn("a precision that was to take over failed", thrown);
            failure = thrown;
        }
    }

    /** Of the operands, those of activations have a row for each token; -1 if they are known on other ranks only. */
    private static long tokens(Observed... operands) {
        return Stream.of(operands)
                .filter(each -> each.operand() != Operand.WEIGHT)
                .map(each -> each.original().get())
                .filter(Objects::nonNull)
                .mapToLong(each -> each.shape().rows())
                .findFirst()
                .orElse(-1);
    }

    @Override
    public <T> T attempted(Tensor rowsT, Supplier<T> work) {
        var made = new Object[1];
        attempt("both gradients", rowsT.shape().rows(), () -> made[0] = work.get());
        @SuppressWarnings("unchecked")
        T result = (T) made[0];
        return result;
    }

    private void keep(LinearProduct product, Observed left, Observed right, ResultSums before, Tensor result) {
        try (MultipliedOperand ofRows = left.multiplied().get();
                MultipliedOperand ofColumns = right.multiplied().get()) {
            if (ofRows == null || ofColumns == null) {
                unchecked = true;
                return;
            }
            try (var made = new DeviceGemm(device, queue, ofRows, ofColumns)) {
                GemmError arithmetic = before == null ? made.error(result) : made.addedError(before, result);
                keep(
                        product,
                        new LayerErrors.GemmErrors(
                                arithmetic, rounding(product, left, ofRows).with(rounding(product, right, ofColumns))));
            }
        }
    }

    private void keep(LinearProduct product, LayerErrors.GemmErrors one) {
        found.merge(product, one, LayerErrors.GemmErrors::worse);
    }

    @Override
    public void rounded(LinearProduct product, Observed operand) {
        attempt(GemmFailure.nameOf(product), tokens(operand), () -> {
            try (MultipliedOperand multiplied = operand.multiplied().get()) {
                if (multiplied != null) {
                    keep(product, new LayerErrors.GemmErrors(GemmError.NONE, rounding(product, operand, multiplied)));
                }
            }
        });
    }

    /** Adds the quantization error of a weight whose GEMMs were checked while its unquantized values were absent. */
    public void weight(LinearProduct product, Observed weight) {
        attempt(GemmFailure.nameOf(product), tokens(weight), () -> {
            try (MultipliedOperand multiplied = weight.multiplied().get()) {
                LayerErrors.Quantization error = rounding(product, weight, multiplied);
                found.merge(
                        product,
                        new LayerErrors.GemmErrors(GemmError.NONE, error),
                        LayerErrors.GemmErrors::withOperand);
            }
        });
    }

    private LayerErrors.Quantization rounding(LinearProduct product, Observed operand, MultipliedOperand multiplied) {
        Tensor from = operand.original().get();
        if (from == null || multiplied.values() == from) {
            return LayerErrors.Quantization.NONE;
        }
        boolean transposed = multiplied.contractedLast() != product.contractsLast(operand.operand());
        try (var original = new DeviceRows(device, queue, from);
                var values = DeviceRows.of(device, queue, multiplied)) {
            OperandError error = OperandError.of(original, values, transposed);
            return new LayerErrors.Quantization(
                    error.relative(),
                    OperandError.largest(multiplied.values().dtype()),
                    new LayerErrors.Scaling(operand.operand(), error.projection()));
        }
    }

    /** The errors so far. */
    public LayerErrors errors() {
        return new LayerErrors(layer.name(), found, unchecked, failure == null ? "" : failure.getMessage());
    }
}
