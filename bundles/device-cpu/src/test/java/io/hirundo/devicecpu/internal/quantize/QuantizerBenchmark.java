package io.hirundo.devicecpu.internal.quantize;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;

import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import jdk.incubator.vector.ByteVector;

/**
 * Compares the time of quantizing with its lower bound: a pass in the order of memory that reads the source once and writes as many bytes
 * as there are codes and scales, of one copy or of both, and computes nothing but the union of the bits that it reads. Processor
 * time of one thread, the best of many turns of each. Arguments: rows and columns, turns.
 */
public final class QuantizerBenchmark {
    private static final String FLOOR = "floor";
    private static final String BOTH = " both";
    private static final String FLOOR_OF_BOTH = FLOOR + BOTH;
    private static final int VECTOR_BYTES = ByteVector.SPECIES_PREFERRED.length();

    private QuantizerBenchmark() {}

    /** Runs the benchmark. */
    public static void main(String[] arguments) {
        int rows = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 4096;
        int columns = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4096;
        int turns = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 60;
        try (Arena arena = Arena.ofShared()) {
            long scratch = arena.allocate(Scratch.WORKER_BYTES, 64).address();
            try (var pool = new WorkerPool(1, scratch, Scratch.WORKER_BYTES)) {
                for (DType from : new DType[] {DType.BF16, DType.FP32}) {
                    try (TestDevice device = new TestDevice(1, "vector")) {
                        run(device, pool, device.random(from, 1, rows, columns), turns);
                    }
                }
            }
        }
    }

    private static void run(TestDevice device, WorkerPool pool, CpuTensor x, int turns) {
        long rows = x.shape().dim(0);
        long columns = x.shape().dim(1);
        var quantizer = new VectorBlockScaled(pool, Optional.empty());
        var calls = new LinkedHashMap<String, Runnable>();
        for (ScaleBlock block : new ScaleBlock[] {ScaleBlock.ROW, ScaleBlock.SQUARE}) {
            ScaledMatrix straight = QuantizerTest.matrix(device, DType.FP8_E4M3, block, rows, columns);
            ScaledMatrix transposed = QuantizerTest.matrix(device, DType.FP8_E4M3, block, columns, rows);
            calls.putIfAbsent(FLOOR, () -> floor(pool, x, List.of(straight)));
            calls.putIfAbsent(FLOOR_OF_BOTH, () -> floor(pool, x, List.of(straight, transposed)));
            for (ScaleRule rule : ScaleRule.values()) {
                calls.put(block + " " + rule, () -> quantizer.quantize(device.queue, x, rule, straight));
                calls.put(
                        block + " " + rule + " transposed",
                        () -> quantizer.quantizeTransposed(device.queue, x, rule, transposed));
                calls.put(
                        block + " " + rule + BOTH,
                        () -> quantizer.quantizeBoth(device.queue, x, rule, straight, transposed));
            }
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<String, Long> best = new LinkedHashMap<>();
        for (int turn = 0; turn < turns; turn++) {
            calls.forEach((name, call) -> {
                long start = threads.getCurrentThreadCpuTime();
                call.run();
                best.merge(name, threads.getCurrentThreadCpuTime() - start, Math::min);
            });
        }
        best.forEach((name, nanos) -> System.out.printf(
                Locale.ROOT,
                "RESULT: %s %d x %d %-32s %7.2f ms, %5.2f times the floor%n",
                x.dtype(),
                rows,
                columns,
                name,
                nanos / 1e6,
                (double) nanos / best.get(name.endsWith(BOTH) ? FLOOR_OF_BOTH : FLOOR)));
    }

    private static void floor(WorkerPool pool, CpuTensor x, List<ScaledMatrix> copies) {
        Blocks.elements(pool, x.elements(), (first, count, scratch) -> {
            int vectors = x.dtype().byteSize();
            for (ScaledMatrix into : copies) {
                // The second time from cache, as large as a block is.
                union(x.address() + first * vectors, count, vectors, ((CpuTensor) into.codesMK()).address() + first);
                CpuTensor scales = (CpuTensor) into.inverseScales();
                long scaleBytes = scales.byteSize() / Blocks.count(x.elements(), Blocks.ELEMENTS);
                Memory.zero(scales.address() + first / Blocks.ELEMENTS * scaleBytes, scaleBytes);
            }
        });
    }

    private static void union(long from, int count, int vectors, long to) {
        for (int i = 0; i < count; i += VECTOR_BYTES) {
            ByteVector bits =
                    ByteVector.fromMemorySegment(ByteVector.SPECIES_PREFERRED, ALL, from + (long) i * vectors, ORDER);
            for (int v = 1; v < vectors; v++) {
                long at = from + (long) i * vectors + v * VECTOR_BYTES;
                bits = bits.or(ByteVector.fromMemorySegment(ByteVector.SPECIES_PREFERRED, ALL, at, ORDER));
            }
            bits.intoMemorySegment(ALL, to + i, ORDER);
        }
    }
}
