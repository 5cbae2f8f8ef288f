package io.hirundo.parallelcp.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;

/** Partial dK and dV for the keys of one rank. Chunks that no query attended to are undefined. */
final class KeyGradients {
    private final KeyValue gradients;
    private final int sequences;
    private final boolean[] begun = new boolean[BalancedContext.CHUNKS];

    KeyGradients(KeyValue gradients, int sequences) {
        this.gradients = gradients;
        this.sequences = sequences;
    }

    KeyValue all() {
        return gradients;
    }

    KeyValue piece(int index) {
        return gradients.piece(index, sequences);
    }

    /** Whether the chunk has been written; marks it as written. */
    boolean begin(int index) {
        boolean before = begun[index];
        begun[index] = true;
        return before;
    }

    void zeroUnseen(ElementwiseKernels kernels, Queue queue) {
        for (int index = 0; index < begun.length; index++) {
            if (!begun[index]) {
                piece(index).zero(kernels, queue);
            }
        }
    }

    /** Adds the gradients of all written chunks. */
    void addTo(ElementwiseKernels kernels, Queue queue, KeyValue sum) {
        for (int index = 0; index < begun.length; index++) {
            if (begun[index]) {
                piece(index).addTo(kernels, queue, sum.piece(index, sequences));
            }
        }
    }
}
