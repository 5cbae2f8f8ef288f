package io.hirundo.paralleltp.internal.residual;

import io.hirundo.tensor.Tensor;

/** Rows that every rank has a part of, to be added up. */
public interface PartialSums {
    /** To be filled with this rank's part, before {@link #begin}: the rows of the first rank, then of the second, ... */
    Tensor terms();

    /** The terms are there. */
    void begin();

    /** Later work of the queue finds the sums; {@link #terms} are gone. */
    void finish();
}
