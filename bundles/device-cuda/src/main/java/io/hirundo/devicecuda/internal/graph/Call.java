package io.hirundo.devicecuda.internal.graph;

import io.hirundo.devicecuda.internal.driver.Handles;

/** A kernel launch or GEMM with its operands, which can be submitted to a stream repeatedly. Its {@code toString} names it. */
public interface Call {
    /** Submits it to the stream, or to the graph of a capturing stream. */
    void submit(Handles.Stream stream);

    /** A requested call. The requester owns it and may reuse it for the next request. */
    interface Asked extends Call {
        /** A copy that can be kept. */
        Call kept();

        /** Whether it is the same kernel or GEMM as a kept call, with the same grid; operands may differ. */
        boolean isLike(Call kept);

        /** Whether the operands are equal too. Only valid if {@link #isLike}. */
        boolean hasOperandsOf(Call kept);
    }
}
