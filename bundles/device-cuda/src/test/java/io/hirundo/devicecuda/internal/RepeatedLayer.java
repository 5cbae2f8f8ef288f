package io.hirundo.devicecuda.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.Bench;
import java.util.ArrayList;
import java.util.List;

/** Work as a layer does it: a norm, a product and sums, with memory taken and given back between them; each time with what the last left. */
final class RepeatedLayer {
  /** Kernels and products of one time: a norm, two copies, a product, a scaling and a sum, and the two kernels of squares. */
  static final int CALLS = 8;

  /** Of the memory that it takes, at most at a time: four tensors, none larger than the device's unit. */
  static final int BYTES = 4 * 512;

  private static final int TOKENS = 8;
  private static final int CHANNELS = 16;

  private final Bench bench;
  private final Kernels kernels;
  private final Tensor x;
  private final Tensor normWeight;
  private Tensor weight;
  private Tensor otherWeight;
  private final Tensor squares;

  RepeatedLayer(Bench bench) {
    this.bench = bench;
    kernels = bench.device().kernels();
    x = bench.tensor(DType.FP32, i -> Math.sin(i), TOKENS, CHANNELS);
    normWeight = bench.tensor(DType.FP32, i -> 1 + i % 3, CHANNELS);
    weight = bench.tensor(DType.BF16, i -> Math.cos(i) / 4, CHANNELS, CHANNELS);
    otherWeight = bench.tensor(DType.BF16, i -> Math.cos(2 * i) / 4, CHANNELS, CHANNELS);
    squares = bench.tensor(DType.FP64, i -> 0, 1);
  }

  void once() {
    try (Tensor product = take(DType.BF16, TOKENS, CHANNELS)) {
      try (Tensor inverseRms = take(DType.FP32, TOKENS);
          Tensor rounded = take(DType.BF16, TOKENS, CHANNELS)) {
        try (Tensor normed = take(DType.FP32, TOKENS, CHANNELS)) {
          kernels.norm().forward(bench.queue(), x, normWeight, 1e-5, normed, inverseRms);
          kernels.elementwise().copy(bench.queue(), normed, rounded);
        }
        kernels.gemm().multiplyNT(bench.queue(), rounded, weight, product, false);
      }
      try (Tensor wide = take(DType.FP32, TOKENS, CHANNELS)) {
        kernels.elementwise().copy(bench.queue(), product, wide);
        kernels.elementwise().scale(bench.queue(), x, 0.5);
        kernels.elementwise().add(bench.queue(), wide, x);
        kernels.optimizer().addSumOfSquares(bench.queue(), wide, squares);
      }
    }
  }

  /** From now on the product is one by other weights, if so. */
  void exchangeWeights(boolean exchange) {
    if (exchange) {
      Tensor before = weight;
      weight = otherWeight;
      otherWeight = before;
    }
  }

  /** As {@link #once}, in work that comes again. */
  void repeat() {
    try (var _ = bench.queue().repetition("layer")) {
      once();
    }
  }

  /** As {@link #repeat}; what is there then. */
  List<Double> repeatAndRead() {
    repeat();
    return values();
  }

  /** What is there now. */
  List<Double> values() {
    var values = new ArrayList<Double>();
    for (Tensor tensor : List.of(x, squares)) {
      for (double value : bench.read(tensor)) {
        values.add(value);
      }
    }
    return values;
  }

  private Tensor take(DType dtype, long... dims) {
    Device device = bench.device();
    return device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(dims), dtype);
  }
}
