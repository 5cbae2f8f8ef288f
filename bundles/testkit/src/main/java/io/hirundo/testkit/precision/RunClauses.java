package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hirundo.precision.LinearShape;
import io.hirundo.precision.StepMemory;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;

/** What a run does with a strategy besides multiplying: it tries it out between two steps, and ranks have parts of a weight. */
public interface RunClauses extends PrecisionOffer {
  @Clause(value = "What is computed between two steps and discarded, as the parity gate does, leaves no trace in later steps",
      remedy = "StepMemory.discard(): what products have seen since the last step is forgotten, but for the weight")
  default void trialsLeaveNoTrace(Bench bench) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      try (var tried = LinearTrial.unchecked(bench, this, shape);
          var untouched = LinearTrial.unchecked(bench, this, shape)) {
        tried.step(1, 8);
        untouched.step(1, 8);
        // Of the weight as it is, and of a microbatch that no step has seen.
        Guarded w = tried.prepare(2);
        tried.forward(w, 64);
        tried.inputGradient(w, 64);
        tried.weightGradient(64);
        tried.math.memory().ifPresent(StepMemory::discard);
        for (int step = 2; step <= 4; step++) {
          assertArrayEquals(
              Layers.bits(untouched.step(step, 8)), Layers.bits(tried.step(step, 8)), "step " + step + " of " + shape);
        }
      }
    }
  }

  @Clause(value = "Where ranks agree on magnitudes of the parts of a weight, these are rounded as the whole weight is",
      remedy = "bind() with WeightSharers: what is found of a part must be raised by them before it is used, for the weight and "
          + "its transpose, in every prepare() alike whatever the part's values, and nobody may be asked at another time")
  default void partsAreRoundedAsTheWhole(Bench bench) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      if (shape.outputs() > 1) {
        new SplitTrial(bench, strategy(), shape).run();
      }
    }
  }
}
