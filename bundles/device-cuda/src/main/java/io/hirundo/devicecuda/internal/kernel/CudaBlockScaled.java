package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.CudaTensor;
import io.hirundo.devicecuda.internal.Modules;
import io.hirundo.devicecuda.internal.Operands;
import io.hirundo.kernel.BlockScaledKernels;
import io.hirundo.kernel.ScaleBlock;
import io.hirundo.kernel.ScaleRule;
import io.hirundo.kernel.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code quantize.cu}: a block for each 128 x 128 elements; products naive, a thread for each element. */
record CudaBlockScaled(Modules modules) implements BlockScaledKernels {
  private static final String FILE = "quantize";
  private static final long TILE = ScaleBlock.EXTENT;

  @Override
  public void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK) {
    CudaTensor x = Operands.of("xMK", xMK, DType.FP32, DType.BF16);
    quantize(queue, x, "", rule, Scaled.of("rowsMK", rowsMK, Operands.rowsOf(x), Operands.columnsOf(x)));
  }

  @Override
  public void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM) {
    CudaTensor x = Operands.of("xMK", xMK, DType.FP32, DType.BF16);
    quantize(queue, x, "_transposed", rule, Scaled.of("columnsKM", columnsKM, Operands.columnsOf(x), Operands.rowsOf(x)));
  }

  private void quantize(Queue queue, CudaTensor x, String transposed, ScaleRule rule, Scaled result) {
    long rows = Operands.rowsOf(x);
    long columns = Operands.columnsOf(x);
    modules
        .launch(queue, FILE, "quantize" + result.blockName() + transposed + Operands.suffix(x) + Operands.suffix(result.codes))
        .tensor(x)
        .integer(rows)
        .integer(columns)
        .flag(rule == ScaleRule.EXACT)
        .tensor(result.codes)
        .tensor(result.inverseScales)
        .run(Math.ceilDiv(columns, TILE), Math.ceilDiv(rows, TILE), Grid.THREADS);
  }

  @Override
  public void dequantize(Queue queue, ScaledMatrix rowsMK, Tensor xMK) {
    CudaTensor x = Operands.of("xMK", xMK, DType.FP32, DType.BF16);
    Scaled scaled = Scaled.of("rowsMK", rowsMK, Operands.rowsOf(x), Operands.columnsOf(x));
    modules
        .launch(queue, FILE, "dequantize" + scaled.blockName() + Operands.suffix(scaled.codes) + Operands.suffix(x))
        .tensor(scaled.codes)
        .tensor(scaled.inverseScales)
        .tensor(x)
        .integer(Operands.rowsOf(x))
        .integer(Operands.columnsOf(x))
        .run(Grid.of(x.elements()), Grid.THREADS);
  }

  @Override
  public void multiplyNT(Queue queue, ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN, boolean accumulate) {
    if (aMK.block() != ScaleBlock.ROW) {
      throw new IllegalArgumentException("aMK has scales for " + aMK.block() + ", needed are those for " + ScaleBlock.ROW);
    }
    CudaTensor c = Operands.of("cMN", cMN, DType.FP32, DType.BF16);
    long m = Operands.rowsOf(c);
    long n = Operands.columnsOf(c);
    long k = Operands.columnsOf(Operands.of("aMK.codesMK", aMK.codesMK()));
    Scaled a = Scaled.of("aMK", aMK, m, k);
    Scaled b = Scaled.of("bNK", bNK, n, k);
    modules
        .launch(
            queue, FILE, "multiply" + b.blockName() + Operands.suffix(a.codes) + Operands.suffix(b.codes) + Operands.suffix(c))
        .tensor(a.codes)
        .tensor(a.inverseScales)
        .tensor(b.codes)
        .tensor(b.inverseScales)
        .tensor(c)
        .integer(m)
        .integer(n)
        .integer(k)
        .flag(accumulate)
        .run(Grid.of(c.elements()), Grid.THREADS);
  }

  /** An 8-bit matrix, checked. */
  private record Scaled(CudaTensor codes, CudaTensor inverseScales, ScaleBlock block) {
    static Scaled of(String operand, ScaledMatrix matrix, long rows, long columns) {
      CudaTensor codes =
          Operands.matrix(operand + ".codesMK", matrix.codesMK(), rows, columns, DType.FP8_E4M3, DType.FP8_E5M2);
      CudaTensor scales =
          Operands.exactly(operand + ".inverseScales", matrix.inverseScales(), matrix.block().scales(rows, columns), DType.FP32);
      return new Scaled(codes, scales, matrix.block());
    }

    String blockName() {
      return switch (block) {
        case ROW -> "_row";
        case SQUARE -> "_square";
        case MATRIX -> throw new IllegalArgumentException("this device has no products of matrices with one scale");
      };
    }
  }
}
