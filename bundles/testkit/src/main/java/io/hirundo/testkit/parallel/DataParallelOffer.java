package io.hirundo.testkit.parallel;

import io.hirundo.parallel.DataParallel;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.OnDevice;
import java.util.List;

/** What is under test. The queues of its device must have done their work when a call returns. */
public interface DataParallelOffer extends OnDevice {
    /** A new strategy, always with the same options. */
    DataParallel strategy();

    /** Strategies that compute the same bits, such as one with other overlap. */
    default List<DataParallel> sameBits() {
        return List.of();
    }

    /** Numbers of ranks along the data and context axes. Of 8, one owns no element of the smallest parameter. */
    default List<Integer> ranks() {
        return List.of(1, 2, 3, 8);
    }

    /** What {@link io.hirundo.parallel.ShardedParameters#isMovable()} must return on each number of ranks. */
    default boolean movable() {
        return true;
    }

    /** Whether {@link DataParallel#takeOver} must change to {@link #strategy()} and {@link #sameBits()} in place. */
    default boolean changesInPlace() {
        return true;
    }

    /** Dtype of master weights. */
    default DType weightType() {
        return DType.FP32;
    }

    /**
     * Allowed error of an element of a reduced gradient, relative to the sum of the magnitudes of its summands; 0.02 at most. A strategy that
     * rounds gradients to BF16 needs more than the default.
     */
    default double tolerance() {
        return 1e-6;
    }
}
