package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Queue;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongToDoubleFunction;

/**
 * A layer's weight in one part, and in two, of some outputs each, as two ranks have it. One thread is both of them: first each
 * part is asked for its magnitudes, then each is told those of the other. Of a strategy that asks nobody nothing is known here.
 */
final class SplitTrial {
  private static final int TOKENS = 5;

  /** Outputs of a part are a multiple of it where there are enough: others might be computed in another way. */
  private static final int STEP = 16;

  /** By the norm of the product: sums in another order are less apart, weights that are rounded otherwise are more. */
  private static final double SAME = 1e-3;

  private final Bench bench;
  private final PrecisionStrategy strategy;
  private final LinearShape shape;
  private final int outputs;
  private final int inputs;
  private final double[] weight;

  SplitTrial(Bench bench, PrecisionStrategy strategy, LinearShape shape) {
    this.bench = bench;
    this.strategy = strategy;
    this.shape = shape;
    this.outputs = Math.toIntExact(shape.outputs());
    this.inputs = Math.toIntExact(shape.inputs());
    var random = new Random(4);
    this.weight = random.doubles((long) outputs * inputs, -1, 1).toArray();
    // By far the largest, so that all of the first part is rounded otherwise without it.
    weight[weight.length - 1] = 41;
  }

  /** Another rank, or none. */
  private final class Sharer implements WeightSharers {
    private final List<double[]> told;
    private final List<double[]> asked = new ArrayList<>();
    private boolean preparing;

    /** {@code told}: magnitudes of the other part; empty where they are not known yet. */
    Sharer(List<double[]> told) {
      this.told = told;
    }

    @Override
    public void agree(Queue queue, Tensor magnitudes) {
      assertTrue(preparing, "asked for magnitudes while no weight of " + shape + " was prepared");
      assertEquals(DType.FP32, magnitudes.dtype(), "type of magnitudes");
      double[] own = bench.read(magnitudes);
      int time = asked.size();
      asked.add(own);
      if (!told.isEmpty()) {
        bench.write(magnitudes, i -> Math.max(own[(int) i], told.get(time)[(int) i]));
      }
    }

    private List<Integer> extents() {
      return asked.stream().map(each -> each.length).toList();
    }
  }

  void run() {
    int first = outputs >= 2 * STEP ? outputs / 2 / STEP * STEP : outputs / 2;
    if (!isSupported(first) || !isSupported(outputs - first)) {
      return;
    }
    var low = new Sharer(List.of());
    var high = new Sharer(List.of());
    product(0, first, low);
    product(first, outputs - first, high);
    if (low.asked.isEmpty() || high.asked.isEmpty()) {
      return;
    }
    assertEquals(low.extents(), high.extents(), "numbers of magnitudes that were asked for with two parts of " + shape);
    double[] whole = product(0, outputs, WeightSharers.NONE);
    requireSame(whole, 0, product(0, first, new Sharer(high.asked)));
    requireSame(whole, first, product(first, outputs - first, new Sharer(low.asked)));
  }

  private boolean isSupported(int part) {
    return strategy.supports(bench.device().info(), part(part)).supported();
  }

  private LinearShape part(int count) {
    return new LinearShape(shape.name(), count, inputs);
  }

  /** {@code y} of some outputs; where somebody was asked, gradients are made too. */
  private double[] product(int first, int count, WeightSharers sharers) {
    Queue queue = bench.queue();
    DType activations = strategy.activationType();
    Tensor w = bench.tensor(strategy.parameterType(), i -> weight[(int) (first * (long) inputs + i)], count, inputs);
    LongToDoubleFunction value = i -> Math.cos(1.3 * i);
    Tensor x = bench.tensor(activations, value, TOKENS, inputs);
    Tensor dy = bench.tensor(activations, value, TOKENS, count);
    Tensor y = bench.tensor(activations, value, TOKENS, count);
    try (LinearMath math = strategy.bind(bench.device(), part(count), sharers)) {
      preparing(sharers, true);
      try (var prepared = math.prepare(queue, w, null)) {
        preparing(sharers, false);
        math.forward(queue, x, prepared, y);
        if (sharers instanceof Sharer sharer && !sharer.asked.isEmpty()) {
          math.inputGradient(queue, dy, prepared, bench.tensor(activations, value, TOKENS, inputs));
          math.weightGradient(queue, dy, x, bench.tensor(strategy.parameterType(), value, count, inputs));
        }
        return bench.read(y);
      }
    }
  }

  private static void preparing(WeightSharers sharers, boolean on) {
    if (sharers instanceof Sharer sharer) {
      sharer.preparing = on;
    }
  }

  private void requireSame(double[] whole, int first, double[] part) {
    int count = part.length / TOKENS;
    double difference = 0;
    double norm = 0;
    for (int i = 0; i < part.length; i++) {
      double expected = whole[i / count * outputs + first + i % count];
      difference += (expected - part[i]) * (expected - part[i]);
      norm += expected * expected;
    }
    double distance = Math.sqrt(difference / norm);
    assertTrue(
        distance <= SAME,
        () -> "outputs " + first + " to " + (first + count - 1) + " of " + shape + " differ by " + distance
            + " from those of the whole weight");
  }
}
