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
 * Compares the three GEMMs of a linear layer with FP64 loops over the operands, rounded to their dtypes.
 */
public interface ProductClauses extends PrecisionOffer {
  @Clause(value = "y = x w^T, for every supported shape and any number of tokens",
      remedy = "how forward() reads the weight, the last row and column of odd sizes, and state that it keeps between calls")
  default void forwardIsTheProduct(Bench bench) {
    forEveryLayer(bench, trial -> {
      Guarded w = trial.prepare(1);
      tokens().forEach(tokens -> trial.forward(w, tokens));
    });
  }

  @Clause(value = "dx = dy w, which overwrites dx",
      remedy = "how inputGradient() reads the weight: it contracts over the outputs, and accumulates nothing")
  default void inputGradientIsTheProduct(Bench bench) {
    forEveryLayer(bench, trial -> {
      Guarded w = trial.prepare(1);
      tokens().forEach(tokens -> trial.inputGradient(w, tokens));
    });
  }

  @Clause(value = "dw += dy^T x: gradients of microbatches accumulate",
      remedy = "whether weightGradient() adds to dw, and which operand it reads transposed (dw is [outputs, inputs])")
  default void weightGradientIsAdded(Bench bench) {
    forEveryLayer(bench, trial -> {
      trial.prepare(1);
      tokens().forEach(trial::weightGradient);
    });
  }

  @Clause(value = "After each optimizer step the GEMMs use the new weight",
      remedy = "prepare(): must overwrite what it keeps of the old weight when 'reuse' is given")
  default void theLatestWeightCounts(Bench bench) {
    forEveryLayer(bench, trial -> {
      for (int step = 1; step <= 3; step++) {
        Guarded w = trial.prepare(10 + step);
        trial.forward(w, 5);
        trial.inputGradient(w, 5);
      }
    });
  }

  @Clause(value = "The same operands give the same bits, so that a resumed run repeats an uninterrupted one",
      remedy = "sums whose order differs from call to call, random rounding without a fixed seed, state kept between calls")
  default void repeatsBitForBit(Bench bench) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      List<double[]> first = products(bench, shape);
      List<double[]> second = products(bench, shape);
      for (int i = 0; i < first.size(); i++) {
        assertArrayEquals(Layers.bits(first.get(i)), Layers.bits(second.get(i)), "product " + i + " of " + shape);
      }
    }
  }

  @Clause(value = "memory() has all state that later GEMMs depend on: another layer that restores it continues with the same bits",
      remedy = "StepMemory.state() and restored(); and state kept from step to step outside of it, which a resumed run lacks")
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

  @Clause(value = "Both gradients from one dy are bitwise equal to those computed one by one, step after step",
      remedy = "LinearMath.gradients(): dx stays as input() computed it, weight() adds to dw, and the dy of each microbatch is recorded "
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

  @Clause(value = "The strategy serves several ranks of a process at the same time",
      remedy = "state that layers share: scratch memory belongs to the result of bind()")
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
    // Waits also if one has failed, so that none disturbs the next clause.
    CompletableFuture.allOf(running).join();
  }

  @Clause(value = "Memory does not grow from step to step, and all of it is released",
      remedy = "tensors that prepare(), gradients() or a GEMM allocates each time, and those that the close() methods do not close")
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

  @Clause(value = "NaNs propagate, so that divergence is detected",
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

  @Clause(value = "A weight of another shape or dtype is rejected with the name of the layer",
      remedy = "prepare(): throw an IllegalArgumentException that names LinearShape.name()")
  default void rejectsOtherWeights(Bench bench) {
    LinearShape shape = Layers.supported(this, bench).getLast();
    DType type = strategy().parameterType();
    try (LinearMath math = strategy().bind(bench.device(), shape)) {
      DType another = type == DType.FP32 ? DType.FP64 : DType.FP32;
      for (Tensor weight :
          List.of(
              bench.tensor(type, i -> 1, shape.inputs() + 1, shape.outputs()),
              bench.tensor(another, i -> 1, shape.outputs(), shape.inputs()))) {
        var rejected =
            assertThrows(IllegalArgumentException.class, () -> math.prepare(bench.queue(), weight, null), "accepted a weight "
                + weight.dtype() + " " + weight.shape() + " of a layer " + shape);
        assertTrue(rejected.getMessage().contains(shape.name()), "the message does not name the layer: " + rejected.getMessage());
      }
    }
  }

  @Clause(value = "A weight that another strategy prepared is rejected",
      remedy = "forward() and inputGradient(): an IllegalArgumentException for a PreparedWeight that is not the strategy's own")
  default void rejectsForeignWeights(Bench bench) {
    forEveryLayer(bench, trial -> {
      var x = trial.input(5).tensor();
      var y = trial.output(5).tensor();
      assertThrows(IllegalArgumentException.class, () -> trial.math.forward(bench.queue(), x, () -> {}, y));
      assertThrows(IllegalArgumentException.class, () -> trial.math.inputGradient(bench.queue(), y, () -> {}, x));
    });
  }

  @Clause(value = "An unsupported shape is rejected with the reason, never computed in another way",
      remedy = "supports(): Support.no(reason) for it, also for a layer without elements; and shapes() of the test")
  default void saysWhatItDoesNotServe(Bench bench) {
    var info = bench.device().info();
    assertFalse(Layers.supported(this, bench).isEmpty(), "none of the shapes of shapes() is supported on " + info.name());
    var rejected = new ArrayList<>(List.of(new LinearShape("none", 0, 5), new LinearShape("none", 5, 0)));
    rejected.forEach(shape -> assertFalse(strategy().supports(info, shape).supported(), "supports " + shape));
    rejected.addAll(shapes());
    for (LinearShape shape : rejected) {
      var support = strategy().supports(info, shape);
      assertTrue(support.supported() || !support.reason().isBlank(), "no reason for " + shape);
    }
  }

  @Clause(value = "close() is idempotent; later use is an error and reads no released memory",
      remedy = "a second close() must do nothing; afterwards prepare() and the GEMMs throw IllegalStateException")
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
