package io.hirundo.gpusuite.internal.bench;

/**
 * Work that is timed here and, if available, in PyTorch.
 *
 * @param request the request to {@code torch_side.py}, also the name of the row
 * @param flops FLOPs per turn; 0 for memory-bound work
 * @param bytes minimum bytes read and written per turn; 0 for compute-bound work
 * @param body allocates the operands and returns one turn of the work
 */
record Benchmark(String request, double flops, double bytes, Body body) {
    @FunctionalInterface
    interface Body {
        Runnable turn(BenchmarkTensors operands);
    }

    static Benchmark computing(String request, double flops, Body body) {
        return new Benchmark(request, flops, 0, body);
    }

    static Benchmark moving(String request, double bytes, Body body) {
        return new Benchmark(request, 0, bytes, body);
    }
}
