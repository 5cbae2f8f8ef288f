package io.hirundo.devicecuda.internal.graph;

import io.hirundo.devicecuda.internal.driver.Handles;

/** A kernel or product with its operands, which a stream can be given, also more than once. Its {@code toString} names it. */
public interface Call {
  /** Gives it to the stream; to the graph, of a stream that captures. */
  void submit(Handles.Stream stream);

  /** A call that is asked for. It belongs to who asks, who may use it for the next too. */
  interface Asked extends Call {
    /** The same for later. */
    Call kept();

    /** Whether it is the same kernel or product as one that was kept, of as many blocks; operands may be others. */
    boolean isLike(Call kept);

    /** Whether its operands are the same too. Only to be asked of what it is like. */
    boolean hasOperandsOf(Call kept);
  }
}
