package io.hirundo.testkit.precision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.precision.Contraction;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The forms in which weights, operands and messages travel between ranks, and what is told of rounding. Of what a strategy does not
 * have no more is asked than whether it has it.
 */
public interface TravelClauses extends PrecisionOffer {
  @Clause(value = "What is prepared from codes of a weight's runs has the bits of what is prepared from the weight",
      remedy = "LinearMath.coding(): runs that begin anywhere, magnitudes of which the larger ones hold, and memory that is reused")
  default void codedWeightsAreTheWeight(Bench bench) {
    forEveryLayer(bench, trial -> {
      PreparedWeight coded = null;
      for (int step = 1; step <= 2 && trial.math().coding().isPresent(); step++) {
        Guarded w = trial.prepare(step);
        coded = trial.prepareCoded(w, coded);
        w.requireUntouched();
        assertArrayEquals(
            Layers.bits(trial.forward(trial.prepared())), Layers.bits(trial.forward(coded)), "y, step " + step);
        assertArrayEquals(
            Layers.bits(trial.inputGradient(trial.prepared())), Layers.bits(trial.inputGradient(coded)), "dx, step " + step);
      }
      if (coded != null) {
        coded.close();
      }
    });
  }

  @Clause(value = "Products of packed operands have the bits of those of the operands, the rows of the pieces one below the other",
      remedy = "LinearMath.packed(): what packs() says of cut blocks, the order of the pieces, and what is added to dw")
  default void packedProductsAreTheProducts(Bench bench) {
    forEveryLayer(bench, trial -> {
      if (trial.math().packed().isPresent()) {
        trial.prepare(1);
        for (int rows : new int[] {5, 128}) {
          for (Operand operand : new Operand[] {Operand.INPUT, Operand.OUTPUT_GRADIENT}) {
            for (Contraction over : Contraction.values()) {
              trial.requirePackedAsValues(operand, over, rows);
            }
          }
        }
      }
    });
  }

  @Clause(value = "Looking at what rounding loses counts every element once, changes no operand and no product, and is announced",
      remedy = "LinearMath.roundingLoss(): counts and sums of the elements themselves, and what it leaves behind for later products;"
          + " and roundsOperands()")
  default void lookingAtRoundingChangesNothing(Bench bench) {
    forEveryLayer(bench, trial -> {
      boolean announced = trial.math().roundsOperands();
      boolean told = false;
      // Where nothing is rounded it is for other clauses that products repeat.
      Supplier<double[]> product = () -> announced ? trial.forward(trial.prepared()) : new double[0];
      Guarded w = trial.prepare(1);
      for (Operand operand : Operand.values()) {
        Guarded x = operand == Operand.WEIGHT ? w : trial.operand(operand, 33);
        if (operand != Operand.WEIGHT) {
          bench.write(x.tensor(), i -> i % 5 == 0 ? 0 : x.values()[(int) i]);
        }
        double[] values = bench.read(x.tensor());
        double[] before = product.get();
        var found = trial.math().roundingLoss(bench.queue(), operand, x.tensor());
        assertArrayEquals(Layers.bits(values), Layers.bits(x.result()), operand + " after it was looked at");
        assertArrayEquals(Layers.bits(before), Layers.bits(product.get()), "y after looking at " + operand);
        found.ifPresent(loss -> requireSensible(operand, values, loss));
        told |= found.isPresent();
      }
      assertEquals(told, announced, "roundsOperands(), by what roundingLoss() tells");
    });
  }

  private static void requireSensible(Operand operand, double[] values, RoundingLoss loss) {
    long nonZero = 0;
    double squares = 0;
    for (double value : values) {
      nonZero += value != 0 ? 1 : 0;
      squares += value * value;
    }
    assertEquals(nonZero, loss.nonZero(), "elements of " + operand + " that are not zero");
    assertEquals(squares, loss.squares(), 1e-5 * squares, "sum of the squares of " + operand);
    assertTrue(loss.vanished() >= 0 && loss.vanished() + loss.largest() <= nonZero, operand + " lost " + loss);
    assertTrue(loss.error() <= MAX_TOLERANCE, operand + " is rounded by " + loss.error() + ", allowed is " + MAX_TOLERANCE);
  }

  @Clause(value = "A message between stages has fewer bytes than its values, and stands for them but for rounding",
      remedy = "PrecisionStrategy.betweenStages(): rows and columns of any extents, what is not a number, and values left over from an "
          + "earlier message")
  default void messagesStandForTheirValues(Bench bench) {
    strategy().betweenStages(bench.device()).ifPresent(coding -> {
      for (int columns : new int[] {256, 144, 33}) {
        MessageTrial.requireRoundTrip(bench, strategy().activationType(), coding, 7, columns);
      }
    });
  }

  private void forEveryLayer(Bench bench, Consumer<TravelTrial> check) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      try (var trial = new TravelTrial(bench, this, shape)) {
        check.accept(trial);
      }
    }
  }
}
