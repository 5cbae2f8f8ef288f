package io.hirundo.testkit.precision;

import io.hirundo.lib.oracle.gemm.DeviceProduct;
import io.hirundo.lib.oracle.gemm.ProductError;
import io.hirundo.lib.oracle.gemm.ResultSums;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Guarded;
import java.util.List;

/** Compares GEMMs with FP64 sums over the operands as they were multiplied, so that quantization of operands excuses no error. */
public interface ArithmeticClauses extends PrecisionOffer {
  @Clause(value = "Each GEMM is that of the operands that multiplied() returns, up to rounding of its sums and its result",
      remedy = "LinearMath.multiplied(): quantized values for the requested GEMM, and their orientation; then the"
          + " GEMM itself: scales, edges, an operand that was quantized another time")
  default void productsAreOfWhatIsMultiplied(Bench bench) {
    for (LinearShape shape : Layers.supported(this, bench)) {
      try (var trial = LinearTrial.unchecked(bench, this, shape)) {
        for (int tokens : List.of(33, 65)) {
          Guarded w = trial.prepare(tokens);
          Tensor x = trial.input(tokens).tensor();
          Tensor dy = trial.outputGradient(tokens).tensor();
          Tensor y = trial.output(tokens).tensor();
          Tensor dx = bench.tensor(strategy().activationType(), tokens, shape.inputs());
          Tensor dw = bench.tensor(Parameter.updateType(strategy().parameterType()), i -> i % 7 - 3, shape.outputs(), shape.inputs());
          LinearMath math = trial.math;
          check(bench, trial, LinearProduct.OUTPUT, x, null, w.tensor(), y, () -> math.forward(bench.queue(), x, trial.prepared(), y));
          check(bench, trial, LinearProduct.INPUT_GRADIENT, null, dy, w.tensor(), dx,
              () -> math.inputGradient(bench.queue(), dy, trial.prepared(), dx));
          check(bench, trial, LinearProduct.WEIGHT_GRADIENT, x, dy, w.tensor(), dw, () -> math.weightGradient(bench.queue(), dy, x, dw));
          w.requireUntouched();
        }
      }
    }
  }

  private static void check(
      Bench bench, LinearTrial trial, LinearProduct product, Tensor x, Tensor dy, Tensor w, Tensor result, Runnable work) {
    boolean added = product == LinearProduct.WEIGHT_GRADIENT;
    ResultSums before = added ? DeviceProduct.sums(bench.device(), bench.queue(), result) : null;
    work.run();
    try (MultipliedOperand left = multiplied(bench, trial, product, product.left(), x, dy, w);
        MultipliedOperand right = multiplied(bench, trial, product, product.right(), x, dy, w);
        var made = new DeviceProduct(bench.device(), bench.queue(), left, right)) {
      ProductError error = added ? made.addedError(before, result) : made.error(result);
      if (error.isWrong()) {
        throw new AssertionError(product + " " + result.shape() + " is not the GEMM of its operands: " + error);
      }
    }
  }

  private static MultipliedOperand multiplied(
      Bench bench, LinearTrial trial, LinearProduct product, Operand operand, Tensor x, Tensor dy, Tensor w) {
    return operand == Operand.WEIGHT
        ? trial.math.multiplied(product, trial.prepared()).orElse(MultipliedOperand.stored(w, product.contractsLast(operand)))
        : trial.math.multiplied(bench.queue(), product, operand, operand == Operand.INPUT ? x : dy);
  }
}
