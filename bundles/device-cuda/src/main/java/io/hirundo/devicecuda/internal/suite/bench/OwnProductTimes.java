package io.hirundo.devicecuda.internal.suite.bench;

import io.hirundo.device.Device;
import io.hirundo.devicecuda.internal.suite.Allowance;
import java.util.List;
import java.util.Locale;

/**
 * How fast the own kernels multiply, to be held against the library's times in {@link BenchmarkPart}.
 *
 * @param timing how all of it is timed
 */
public record OwnProductTimes(List<Benchmark> products, Timing timing) {
  /** Of Llama 8B. */
  public static OwnProductTimes ofLlama() {
    return new OwnProductTimes(Benchmarks.products(Benchmarks.Sizes.LLAMA_8B), Timing.USUAL);
  }

  /**
   * Times them, as far as there is time.
   *
   * @param own a device that asks no library
   * @return Markdown; says what was not timed
   */
  public String table(Device own, Allowance allowance) {
    var rows = new StringBuilder("| Own kernel, M, N, K | ms | TFLOP/s |\n|---|---|---|\n");
    for (Benchmark product : products) {
      if (allowance.isOver()) {
        return rows.append("| ").append(product.request()).append(" and what follows | | not run for want of time |\n").toString();
      }
      allowance.begins(product.request());
      try (var operands = new Operands(own)) {
        double seconds = timing.seconds(operands.queue(), product.body().turn(operands));
        rows.append(
            String.format(
                Locale.ROOT, "| %s | %.4f | %.2f |%n", product.request(), seconds * 1e3, product.flops() / seconds / 1e12));
      }
    }
    return rows.toString();
  }
}
