package io.hirundo.trainer.internal.profile;

import io.hirundo.kernel.host.GemmLibrary;
import io.hirundo.kernel.host.PreparedProduct;
import io.hirundo.kernel.host.TileProduct;
import io.hirundo.kernel.host.TileProduct.Operand;
import io.hirundo.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * What this machine's cores do at most, all together: FP32 multiply-adds on registers, GEMMs of oneDNN in BF16 whose operands stay in the
 * caches of a core, and copies of memory beyond the caches, bytes read plus bytes written. Java cannot emit BF16 multiply-adds, so their
 * bound is the fastest GEMM. Without BF16 instructions it is that of FP32. Argument: seconds for each. Prints lines {@code ROOFLINE GFLOP/s
 * N}, {@code ROOFLINE BF16-GFLOP/s N} and {@code ROOFLINE GB/s N}.
 */
public final class MachineRoofline {
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final long COPIED_BYTES = 256L << 20;
    private static final int ROUNDS = 1 << 16;

    private static final int[] EXTENTS = {256, 384, 512};

    /** GEMMs between two looks at the clock. */
    private static final int RUNS = 8;

    private MachineRoofline() {}

    public static void main(String[] arguments) throws Exception {
        double seconds = Double.parseDouble(arguments[0]);
        int cores = Runtime.getRuntime().availableProcessors();
        double fp32 = onAll(cores, () -> flops(seconds));
        System.out.printf(Locale.ROOT, "ROOFLINE GFLOP/s %.3f FP32, %d cores%n", fp32 * 1e-9, cores);
        GemmLibrary library = OutsideOsgi.oneDnn();
        boolean narrow = library.obstacle(DType.BF16).isEmpty();
        double bf16 = narrow ? onAll(cores, () -> multiplied(library, seconds)) : fp32;
        System.out.printf(
                Locale.ROOT,
                "ROOFLINE BF16-GFLOP/s %.3f BF16, %d cores, %s%n",
                bf16 * 1e-9,
                cores,
                narrow ? library.description() : "as FP32");
        System.out.printf(
                Locale.ROOT, "ROOFLINE GB/s %.3f, %d cores%n", onAll(cores, () -> copied(seconds)) * 1e-9, cores);
    }

    /** The sum of what each core does in a second. */
    private static double onAll(int cores, Callable<Double> rate) throws Exception {
        try (var threads = Executors.newFixedThreadPool(cores)) {
            List<Callable<Double>> each = new ArrayList<>();
            for (int core = 0; core < cores; core++) {
                each.add(rate);
            }
            double sum = 0;
            for (var result : threads.invokeAll(each)) {
                sum += result.get();
            }
            return sum;
        }
    }

    private static double flops(double seconds) {
        float[] sink = new float[FLOATS.length()];
        double best = 0;
        long end = System.nanoTime() + (long) (seconds * 1e9);
        do {
            long began = System.nanoTime();
            multiplyAdd(sink);
            best = Math.max(best, 2.0 * 12 * FLOATS.length() * ROUNDS / ((System.nanoTime() - began) * 1e-9));
        } while (System.nanoTime() < end);
        return best;
    }

    /** Twelve chains hide the latency of a multiply-add. */
    private static void multiplyAdd(float[] sink) {
        FloatVector x = FloatVector.broadcast(FLOATS, 0.999f);
        FloatVector y = FloatVector.broadcast(FLOATS, 0.001f);
        FloatVector a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x, i = x, j = x, k = x, l = x;
        for (int round = 0; round < ROUNDS; round++) {
            a = a.fma(x, y);
            b = b.fma(x, y);
            c = c.fma(x, y);
            d = d.fma(x, y);
            e = e.fma(x, y);
            f = f.fma(x, y);
            g = g.fma(x, y);
            h = h.fma(x, y);
            i = i.fma(x, y);
            j = j.fma(x, y);
            k = k.fma(x, y);
            l = l.fma(x, y);
        }
        a.add(b)
                .add(c)
                .add(d)
                .add(e)
                .add(f)
                .add(g)
                .add(h)
                .add(i)
                .add(j)
                .add(k)
                .add(l)
                .intoArray(sink, 0);
    }

    /** Of square GEMMs of several sizes, again and again on the same operands. */
    private static double multiplied(GemmLibrary library, double seconds) {
        double best = 0;
        for (int extent : EXTENTS) {
            Operand narrow = new Operand(DType.BF16, extent, false);
            var shape = new TileProduct(
                    extent, extent, extent, narrow, narrow, new Operand(DType.FP32, extent, false), false);
            try (Arena arena = Arena.ofConfined();
                    PreparedProduct product = library.prepare(shape)) {
                long bytes = 2L * extent * extent;
                long a = arena.allocate(bytes, 64).address();
                long b = arena.allocate(bytes, 64).address();
                long c = arena.allocate(2 * bytes, 64).address();
                long scratch = arena.allocate(product.scratchBytes() + 64, 64).address();
                long end = System.nanoTime() + (long) (seconds * 1e9 / EXTENTS.length);
                do {
                    long began = System.nanoTime();
                    for (int run = 0; run < RUNS; run++) {
                        product.run(a, b, c, scratch);
                    }
                    best = Math.max(best, 2.0 * RUNS * extent * extent * extent / ((System.nanoTime() - began) * 1e-9));
                } while (System.nanoTime() < end);
            }
        }
        return best;
    }

    private static double copied(double seconds) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(COPIED_BYTES, 64);
            MemorySegment to = arena.allocate(COPIED_BYTES, 64);
            double best = 0;
            long end = System.nanoTime() + (long) (seconds * 1e9);
            do {
                long began = System.nanoTime();
                to.copyFrom(from);
                best = Math.max(best, 2.0 * COPIED_BYTES / ((System.nanoTime() - began) * 1e-9));
            } while (System.nanoTime() < end);
            return best;
        }
    }
}
