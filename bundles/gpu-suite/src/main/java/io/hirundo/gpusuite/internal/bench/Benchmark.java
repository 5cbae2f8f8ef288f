package io.hirundo.gpusuite.internal.bench;

/**
 * Work that is timed here and, where it is there, in PyTorch.
 *
 * @param request what PyTorch is asked to time, as {@code torch_side.py} understands it, and the name of the row
 * @param flops of a turn; 0 for work that only moves memory
 * @param bytes that a turn has to read and write at least; 0 for work that computes
 * @param body makes its operands, and from them a turn
 */
record Benchmark(String request, double flops, double bytes, Body body) {
  @FunctionalInterface
  interface Body {
    Runnable turn(Operands operands);
  }

  static Benchmark computing(String request, double flops, Body body) {
    return new Benchmark(request, flops, 0, body);
  }

  static Benchmark moving(String request, double bytes, Body body) {
    return new Benchmark(request, 0, bytes, body);
  }
}
