package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.devicecpu.internal.Memory;
import io.hirundo.devicecpu.internal.TestDevice;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaleRule;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.tensor.DType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How long quantizing takes beside a copy that moves as many bytes, on one core: the best of many turns of both. Arguments:
 * rows and columns, turns.
 */
public final class QuantizerBenchmark {
  private QuantizerBenchmark() {}

  /** Runs the benchmark. */
  public static void main(String[] arguments) {
    int rows = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 4096;
    int columns = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4096;
    int turns = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 60;
    for (DType from : new DType[] {DType.BF16, DType.FP32}) {
      try (TestDevice device = new TestDevice(1, "vector")) {
        run(device, from, rows, columns, turns);
      }
    }
  }

  private static void run(TestDevice device, DType from, int rows, int columns, int turns) {
    CpuTensor x = device.random(from, 1, rows, columns);
    long moved = x.byteSize() + x.elements();
    CpuTensor source = device.tensor(DType.FP8_E4M3, i -> 1, moved / 2);
    CpuTensor target = device.tensor(DType.FP8_E4M3, i -> 0, moved / 2);
    var calls = new LinkedHashMap<String, Runnable>();
    calls.put("a copy", () -> Memory.copy(source.address(), target.address(), moved / 2));
    for (ScaleBlock block : List.of(ScaleBlock.ROW, ScaleBlock.SQUARE)) {
      ScaledMatrix straight = QuantizerTest.matrix(device, DType.FP8_E4M3, block, rows, columns);
      ScaledMatrix transposed = QuantizerTest.matrix(device, DType.FP8_E4M3, block, columns, rows);
      var quantizer = device.device.kernels().blockScaled().orElseThrow();
      calls.put(block + "", () -> quantizer.quantize(device.queue, x, ScaleRule.POWER_OF_TWO, straight));
      calls.put(
          block + " transposed", () -> quantizer.quantizeTransposed(device.queue, x, ScaleRule.POWER_OF_TWO, transposed));
    }
    Map<String, Long> best = new LinkedHashMap<>();
    for (int turn = 0; turn < turns; turn++) {
      calls.forEach(
          (name, call) -> {
            long start = System.nanoTime();
            call.run();
            best.merge(name, System.nanoTime() - start, Math::min);
          });
    }
    best.forEach(
        (name, nanos) ->
            System.out.printf(
                Locale.ROOT, "RESULT: %s %d x %d %-18s %7.2f ms, %5.2f times a copy of as many bytes%n", from, rows, columns,
                name, nanos / 1e6, (double) nanos / best.get("a copy")));
  }
}
