package io.hirundo.testkit.scalar.scaled;

import static io.hirundo.kernel.scaled.ScaleBlock.EXTENT;

import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Block scaling by its formulas; sums in the order of k. */
public final class ScalarBlockScaled implements BlockScaledKernels {
    @Override
    public void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK) {
        quantize("rowsMK", ScalarMatrix.of(xMK, rowsMK), rule);
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM) {
        quantize("columnsKM", ScalarMatrix.transposed(xMK, columnsKM), rule);
    }

    private static void quantize(String operand, ScalarMatrix x, ScaleRule rule) {
        ScalarScaled result = x.result().requireBlock(operand, ScaleBlock.ROW, ScaleBlock.SQUARE);
        result.quantize(x.values(), x.dtype(), result.amaxes(x.values()), rule);
    }

    @Override
    public void multiplyNT(Queue queue, ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN, boolean accumulate) {
        ScalarTensor c = ScalarMatrix.checked("cMN", cMN);
        ScalarScaled a = ScalarScaled.of("aMK", aMK).requireBlock("aMK", ScaleBlock.ROW, ScaleBlock.MATRIX);
        a.requireShape("aMK", c.shape().rows(), a.columns());
        ScalarScaled b =
                ScalarScaled.of("bNK", bNK).requireShape("bNK", c.shape().dim(-1), a.columns());
        double[] aValues = a.codes().values();
        double[] aScales = a.inverseScales().values();
        double[] bValues = b.codes().values();
        double[] bScales = b.inverseScales().values();
        double[] sums = c.values();
        int inner = a.columns();
        for (int i = 0; i < sums.length; i++) {
            int aFirst = i / b.rows() * inner;
            int bFirst = i % b.rows() * inner;
            float y = 0;
            for (int first = 0; first < inner; first += EXTENT) {
                float sum = 0;
                for (int k = first; k < Math.min(first + EXTENT, inner); k++) {
                    sum += (float) aValues[aFirst + k] * (float) bValues[bFirst + k];
                }
                float scaled = sum * (float) aScales[a.scaleIndex(aFirst + first)];
                y = Math.fma(scaled, (float) bScales[b.scaleIndex(bFirst + first)], y);
            }
            sums[i] = accumulate ? sums[i] + y : y;
        }
        c.setValues(sums);
    }

    @Override
    public void dequantize(Queue queue, ScaledMatrix rowsMK, Tensor xMK) {
        ScalarTensor x = ScalarMatrix.checked("xMK", xMK);
        ScalarScaled rows = ScalarScaled.of("rowsMK", rowsMK)
                .requireBlock("rowsMK", ScaleBlock.ROW, ScaleBlock.SQUARE)
                .requireShape("rowsMK", x.shape().rows(), x.shape().dim(-1));
        double[] values = rows.codes().values();
        double[] scales = rows.inverseScales().values();
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) values[i] * (float) scales[rows.scaleIndex(i)];
        }
        x.setValues(values);
    }
}
