package io.hirundo.parallelcp.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;

/** Gradients of the keys and values of one rank, as far as they are known. Pieces that no query has seen are undefined. */
final class KeyGradients {
  private final KeyValue gradients;
  private final int sequences;
  private final boolean[] begun = new boolean[BalancedContext.PIECES];

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

  /** Whether the piece has been written; it counts as written from now on. */
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

  /** Adds what is known. */
  void addTo(ElementwiseKernels kernels, Queue queue, KeyValue sum) {
    for (int index = 0; index < begun.length; index++) {
      if (begun[index]) {
        piece(index).addTo(kernels, queue, sum.piece(index, sequences));
      }
    }
  }
}
