package io.hirundo.trainer.internal.profile;

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
 * What this machine's cores do at most, all together: FP32 multiply-adds on registers, and copies of memory beyond the caches, bytes read
 * plus bytes written. Argument: seconds for each. Prints lines {@code ROOFLINE GFLOP/s N} and {@code ROOFLINE GB/s N}.
 */
public final class MachineRoofline {
  private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  private static final long COPIED_BYTES = 256L << 20;
  private static final int ROUNDS = 1 << 16;

  private MachineRoofline() {}

  public static void main(String[] arguments) throws Exception {
    double seconds = Double.parseDouble(arguments[0]);
    int cores = Runtime.getRuntime().availableProcessors();
    System.out.printf(Locale.ROOT, "ROOFLINE GFLOP/s %.3f FP32, %d cores%n", onAll(cores, () -> flops(seconds)) * 1e-9, cores);
    System.out.printf(Locale.ROOT, "ROOFLINE GB/s %.3f, %d cores%n", onAll(cores, () -> copied(seconds)) * 1e-9, cores);
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
    a.add(b).add(c).add(d).add(e).add(f).add(g).add(h).add(i).add(j).add(k).add(l).intoArray(sink, 0);
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
