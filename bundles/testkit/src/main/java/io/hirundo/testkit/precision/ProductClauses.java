package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.StepMemory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The three products of a linear layer, compared with binary64 loops over the values that the operands have in their types.
 */
public interface ProductClauses extends PrecisionOffer {
  @Clause(value = "y = x w^T, for every supported size and any number of tokens",
      remedy = "how forward() reads the weight, the last row and column of odd sizes, and what it keeps between calls")
  default void forwardIsTheProduct(Bench bench) {
    forEveryLayer(bench, trial -> {
      Guarded w = trial.prepare(1);
      tokens().forEach(tokens -> trial.forward(w, tokens));
    });
  }

  @Clause(value = "dx = dy w, which replaces what was in dx",
      remedy = "how inputGradient() reads the weight: it is contracted over the outputs, and nothing is accumulated")
  default void inputGradientIsTheProduct(Bench bench) {
    forEveryLayer(bench, trial -> {
      Guarded w = trial.prepare(1);
      tokens().forEach(tokens -> trial.inputGradient(w, tokens));
    });
  }

  @Clause(value = "dw += dy^T x: gradients of microbatches are added up",
      remedy = "whether weightGradient() adds to dw, and which operand it reads transposed (dw is [outputs, inputs])")
  default void weightGradientIsAdded(Bench bench) {
    forEveryLayer(bench, trial -> {
      trial.prepare(1);
      tokens().forEach(trial::weightGradient);
    });
  }

  @Clause(value = "After each optimizer step the products are made with the new weight",
      remedy = "prepare(): what it keeps of a weight must be overwritten when 'reuse' is given")
  default void theLatestWeightCounts(Bench bench) {
    forEveryLayer(bench, trial -> {
      for (int step = 1; step <= 3; step++) {
        Guarded w = trial.prepare(10 + step);
        trial.forward(w, 5);
        trial.inputGradient(w, 5);
      }
    });
  }

  @Clause(value = "The same operands give the same bits, so that a resumed run repeats the one that was not stopped",
      remedy = "sums in an order that differs from call to call, random rounding without a fixed seed, state kept between calls")
  default void repeatsBitForBit(Bench bench) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      List<double[]> first = products(bench, shape);
      List<double[]> second = products(bench, shape);
      for (int i = 0; i < first.size(); i++) {
        assertArrayEquals(Layers.bits(first.get(i)), Layers.bits(second.get(i)), "product " + i + " of " + shape);
      }
    }
  }

  @Clause(value = "All that later products depend on is in memory(): another layer that takes it up goes on with the same bits",
      remedy = "StepMemory.state() and restored(); and what is kept from step to step without being there, which a resumed run lacks")
  default void remembersNothingElse(Bench bench) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      try (var first = LinearTrial.unchecked(bench, this, shape);
          var second = LinearTrial.unchecked(bench, this, shape)) {
        for (int step = 1; step <= 3; step++) {
          first.prepare(step);
          first.weightGradient(8);
          first.math.memory().ifPresent(memory -> memory.endStep(bench.queue()));
          second.prepare(step);
        }
        first.math.memory().ifPresent(memory -> takeUp(bench, memory, second.math.memory().orElseThrow()));
        for (int step = 4; step <= 5; step++) {
          assertArrayEquals(
              Layers.bits(first.step(step, 8)), Layers.bits(second.step(step, 8)),
              "step " + step + " of " + shape);
        }
      }
    }
  }

  private static void takeUp(Bench bench, StepMemory from, StepMemory into) {
    assertEquals(from.name(), into.name(), "names of two memories of the same layer");
    bench.device().kernels().elementwise().copy(bench.queue(), from.state(bench.queue()), into.state(bench.queue()));
    into.restored(bench.queue());
  }

  @Clause(value = "Both gradients that are found from one dy have the bits of those that are found one by one, step after step",
      remedy = "LinearMath.gradients(): input() leaves dx whole, weight() adds to dw, and the dy of each microbatch is remembered "
          + "once, as weightGradient() does")
  default void bothGradientsAreThoseOfEach(Bench bench) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      try (var each = LinearTrial.unchecked(bench, this, shape);
          var both = LinearTrial.unchecked(bench, this, shape)) {
        for (int step = 1; step <= 2; step++) {
          each.prepare(step);
          both.prepare(step);
          assertArrayEquals(
              Layers.bits(each.gradients(33, false)), Layers.bits(both.gradients(33, true)), "step " + step + " of " + shape);
          each.math.memory().ifPresent(memory -> memory.endStep(bench.queue()));
          both.math.memory().ifPresent(memory -> memory.endStep(bench.queue()));
        }
      }
    }
  }

  @Clause(value = "The strategy serves the ranks of a process at the same time",
      remedy = "state that layers share: scratch memory belongs into what bind() returns")
  default void servesManyThreads(Bench bench) {
    List<LinearShape> shapes = Layers.supported(this, bench);
    var alone = shapes.stream().map(shape -> products(bench, shape)).toList();
    var running =
        IntStream.range(0, 4)
            .mapToObj(thread -> CompletableFuture.runAsync(() -> {
              try (Bench own = Bench.open(backend())) {
                for (int i = 0; i < 2 * shapes.size(); i++) {
                  int at = (i + thread) % shapes.size();
                  List<double[]> products = products(own, shapes.get(at));
                  for (int each = 0; each < products.size(); each++) {
                    assertArrayEquals(Layers.bits(alone.get(at).get(each)), Layers.bits(products.get(each)), "product " + each);
                  }
                }
              }
            }, task -> Thread.ofPlatform().daemon().start(task)))
            .toArray(CompletableFuture<?>[]::new);
    // Also where one has failed: none is left behind to disturb the next clause.
    CompletableFuture.allOf(running).join();
  }

  @Clause(value = "Memory does not grow from step to step, and all of it is given back",
      remedy = "tensors that prepare(), gradients() or a product allocates each time, and what the close() methods leave open")
  default void memoryStaysTheSame(Bench bench) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      var held = new ArrayList<Map<MemoryCategory, Long>>();
      try (var trial = LinearTrial.unchecked(bench, this, shape)) {
        for (int step = 1; step <= 3; step++) {
          Guarded w = trial.prepare(1);
          trial.forward(w, 8);
          trial.inputGradient(w, 8);
          trial.weightGradient(8);
          trial.gradients(8, true);
          trial.abandonGradients(8);
          held.add(bench.heldByOthers());
        }
      }
      assertEquals(held.get(0), held.get(1), "bytes held after the second step of " + shape);
      assertEquals(held.get(1), held.get(2), "bytes held after the third step of " + shape);
      assertEquals(Map.of(), bench.heldByOthers(), "bytes held after " + shape + " was closed");
    }
  }

  @Clause(value = "What is not a number stays visible: a training that diverges must be found out",
      remedy = "quantization or clamping that maps NaN to a number")
  default void notANumberIsPassedOn(Bench bench) {
    forEveryLayer(bench, trial -> {
      trial.prepare(1);
      Guarded x = trial.input(5);
      bench.write(x.tensor(), i -> i == 0 ? Double.NaN : 1);
      Guarded y = trial.output(5);
      bench.write(y.tensor(), i -> 1);
      trial.math.forward(bench.queue(), x.tensor(), trial.prepared(), y.tensor());
      assertTrue(Double.isNaN(y.result()[0]), "the first row of x holds a NaN, the first output is " + y.result()[0]);
    });
  }

  @Clause(value = "A weight of another shape or type is refused, by the name of the layer",
      remedy = "prepare(): throw an IllegalArgumentException that names LinearShape.name()")
  default void refusesOtherWeights(Bench bench) {
    LinearShape shape = Layers.supported(this, bench).getLast();
    DType type = strategy().parameterType();
    try (LinearMath math = strategy().bind(bench.device(), shape)) {
      DType another = type == DType.FP32 ? DType.FP64 : DType.FP32;
      for (Tensor weight :
          List.of(
              bench.tensor(type, i -> 1, shape.inputs() + 1, shape.outputs()),
              bench.tensor(another, i -> 1, shape.outputs(), shape.inputs()))) {
        var refused =
            assertThrows(IllegalArgumentException.class, () -> math.prepare(bench.queue(), weight, null), "accepted a weight "
                + weight.dtype() + " " + weight.shape() + " of a layer " + shape);
        assertTrue(refused.getMessage().contains(shape.name()), "the message names no layer: " + refused.getMessage());
      }
    }
  }

  @Clause(value = "What another strategy prepared is refused",
      remedy = "forward() and inputGradient(): an IllegalArgumentException for a PreparedWeight that is not the strategy's own")
  default void refusesForeignWeights(Bench bench) {
    forEveryLayer(bench, trial -> {
      var x = trial.input(5).tensor();
      var y = trial.output(5).tensor();
      assertThrows(IllegalArgumentException.class, () -> trial.math.forward(bench.queue(), x, () -> {}, y));
      assertThrows(IllegalArgumentException.class, () -> trial.math.inputGradient(bench.queue(), y, () -> {}, x));
    });
  }

  @Clause(value = "A size that is not served is refused with the reason, never computed in another way",
      remedy = "supports(): Support.no(reason) for it, a layer without elements among them; and shapes() of the test")
  default void saysWhatItDoesNotServe(Bench bench) {
    var info = bench.device().info();
    assertFalse(Layers.supported(this, bench).isEmpty(), "none of the sizes of shapes() is supported on " + info.name());
    var refused = new ArrayList<>(List.of(new LinearShape("none", 0, 5), new LinearShape("none", 5, 0)));
    refused.forEach(shape -> assertFalse(strategy().supports(info, shape).supported(), "supports " + shape));
    refused.addAll(shapes());
    for (LinearShape shape : refused) {
      var support = strategy().supports(info, shape);
      assertTrue(support.supported() || !support.reason().isBlank(), "no reason for " + shape);
    }
  }

  @Clause(value = "Closed twice is closed; used afterwards it is an error, not a product of memory that is gone",
      remedy = "close() must be harmless the second time; afterwards prepare() and the products throw IllegalStateException")
  default void closedIsClosed(Bench bench) {
    LinearShape shape = Layers.supported(this, bench).getLast();
    var trial = LinearTrial.unchecked(bench, this, shape);
    trial.prepare(1);
    var x = trial.input(5).tensor();
    var y = trial.output(5).tensor();
    var dw = bench.tensor(strategy().parameterType(), i -> 0, shape.outputs(), shape.inputs());
    var queue = bench.queue();
    trial.close();
    trial.math.close();
    assertThrows(IllegalStateException.class, () -> trial.math.prepare(queue, dw, null));
    assertThrows(IllegalStateException.class, () -> trial.math.forward(queue, x, trial.prepared(), y));
    assertThrows(IllegalStateException.class, () -> trial.math.inputGradient(queue, y, trial.prepared(), x));
    assertThrows(IllegalStateException.class, () -> trial.math.weightGradient(queue, y, x, dw));
  }

  private void forEveryLayer(Bench bench, Consumer<LinearTrial> check) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      try (var trial = LinearTrial.checked(bench, this, shape)) {
        check.accept(trial);
      }
    }
  }

  private List<double[]> products(Bench bench, LinearShape shape) {
    try (var trial = LinearTrial.unchecked(bench, this, shape)) {
      Guarded w = trial.prepare(1);
      return List.of(trial.forward(w, 33), trial.inputGradient(w, 33), trial.weightGradient(33));
    }
  }
}
