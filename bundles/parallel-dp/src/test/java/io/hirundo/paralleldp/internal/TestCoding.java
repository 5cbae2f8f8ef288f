package io.hirundo.paralleldp.internal;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.BlockScaledKernels;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaleRule;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.model.ParameterSpec;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.support.OperandQuantizer;
import io.hirundo.precision.support.QuantizedProducts;
import io.hirundo.precision.support.WeightPieces;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** Products whose weights have codes of squares. */
final class TestCoding {
  private record Squares(BlockScaledKernels kernels, WeightPieces pieces) implements OperandQuantizer {
    @Override
    public ScaleBlock block(Operand operand) {
      return operand == Operand.WEIGHT ? ScaleBlock.SQUARE : ScaleBlock.ROW;
    }

    @Override
    public DType codes(Operand operand) {
      return DType.FP8_E4M3;
    }

    @Override
    public void quantize(Queue queue, Operand operand, Tensor xMK, ScaledMatrix rowsMK) {
      kernels.quantize(queue, xMK, pieces.rule(), rowsMK);
    }

    @Override
    public void quantizeTransposed(Queue queue, Operand operand, Tensor xMK, ScaledMatrix columnsKM) {
      kernels.quantizeTransposed(queue, xMK, pieces.rule(), columnsKM);
    }

    @Override
    public Optional<WeightPieces> weightPieces() {
      return Optional.of(pieces);
    }
  }

  private TestCoding() {}

  static LinearMath products(Device device, ParameterSpec spec, ScaleRule rule) {
    var kernels = device.kernels().blockScaled().orElseThrow();
    var pieces = new WeightPieces(device.kernels().pieceScaled().orElseThrow(), rule);
    var shape = new LinearShape(spec.name(), spec.shape().dim(0), spec.shape().dim(1));
    return new QuantizedProducts(device, kernels, shape, new Squares(kernels, pieces));
  }
}
