package io.hirundo.lib.engine.check;

import io.hirundo.precision.LinearProduct;
import io.hirundo.tensor.Tensor;

/** Runs the GEMMs of a layer, except those of its weight gradient, which stays as it is. */
public final class WithoutWeightGradients implements GemmObserver {
    @Override
    public void product(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {
        work.run();
    }

    @Override
    public void added(LinearProduct product, Runnable work, Observed left, Observed right, Tensor result) {}
}
