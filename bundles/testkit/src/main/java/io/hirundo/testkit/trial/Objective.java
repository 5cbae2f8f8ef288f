package io.hirundo.testkit.trial;

import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;

/** A function of tensors whose gradient is under test. */
public interface Objective {
    /** The device of the tensors. */
    Bench bench();

    double objective();

    default double[] read(Tensor tensor) {
        return bench().read(tensor);
    }

    default void write(Tensor tensor, double[] values) {
        bench().write(tensor, i -> values[(int) i]);
    }
}
