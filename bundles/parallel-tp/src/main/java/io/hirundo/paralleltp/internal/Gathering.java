package io.hirundo.paralleltp.internal;

import io.hirundo.tensor.Tensor;

/** Rows of all ranks on their way to this one. */
interface Gathering {
  /** All rows, for later work of the queue. Not to be written to. */
  Tensor whole();

  /** Gives the memory back, once the messages have ended. To be called once. */
  void close();

  /** Rows that are here already, and stay the caller's. */
  static Gathering of(Tensor whole) {
    return new Gathering() {
      @Override
      public Tensor whole() {
        return whole;
      }

      @Override
      public void close() {}
    };
  }
}
