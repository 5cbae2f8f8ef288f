package io.hirundo.lib.engine.audit;

import io.hirundo.lib.engine.audit.GemmPlan.Stored;
import io.hirundo.lib.engine.check.GemmObserver;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Records the GEMMs of a layer in a survey step: their number, shapes and dtypes. It requests operands exactly as an audit does, so that
 * memory use does not grow at the first audit.
 */
final class GemmSurvey implements GemmObserver {
    private final String layer;
    private final Map<LinearProduct, GemmPlan> seen = new EnumMap<>(LinearProduct.class);

    GemmSurvey(String layer) {
        this.layer = layer;
    }

    @Override
    public void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        work.run();
        try (MultipliedOperand ofRows = left.multiplied().get();
                MultipliedOperand ofColumns = right.multiplied().get()) {
            if (ofRows != null && ofColumns != null) {
                long taken = bytes(ofRows) + bytes(ofColumns);
                long summands = ofRows.contractedLast()
                        ? ofRows.values().shape().dim(-1)
                        : ofRows.values().shape().rows();
                var plan = new GemmPlan(
                        layer,
                        product,
                        1,
                        result.shape().rows(),
                        result.shape().dim(-1),
                        summands,
                        result.dtype(),
                        Stored.of(ofRows),
                        Stored.of(ofColumns),
                        taken);
                seen.merge(product, plan, GemmPlan::plus);
            }
        }
    }

    @Override
    public void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        product(product, work, left, right, result);
    }

    private static long bytes(MultipliedOperand operand) {
        return operand.owned().stream().mapToLong(Tensor::byteSize).sum();
    }

    /** The GEMMs that can be audited, in the order of {@link LinearProduct}. */
    List<GemmPlan> plans() {
        return List.copyOf(seen.values());
    }
}
