package io.hirundo.testkit.scalar.scaled;

import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Quantization of runs by its formulas. */
public final class ScalarPieceScaled implements PieceScaledKernels {
    @Override
    public void measure(Queue queue, MatrixRun x, Tensor amax) {
        double[] values = values(x);
        ScalarTensor amaxes = amaxes(amax, x.rows(), x.columns());
        for (int i = 0; i < values.length; i++) {
            int at = scaleIndex(x, i);
            double magnitude = Math.abs(values[i]);
            if (magnitude > amaxes.get(at)) {
                amaxes.set(at, magnitude);
            }
        }
    }

    @Override
    public void quantize(Queue queue, MatrixRun x, Tensor amax, ScaleRule rule, Tensor codes) {
        double[] values = values(x);
        ScalarTensor amaxes = amaxes(amax, x.rows(), x.columns());
        ScalarTensor to = ScalarScaled.codes("codes", codes);
        if (to.elements() != values.length) {
            throw new IllegalArgumentException("codes is " + to + " (allowed: " + values.length + " elements, as x)");
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) values[i]
                    * ScalarScaled.scale((float) amaxes.get(scaleIndex(x, i)), to.dtype(), DType.FP32, rule);
        }
        to.setValues(values);
    }

    private static double[] values(MatrixRun run) {
        ScalarTensor x = ScalarTensor.of("x", run.values());
        if (x.dtype() != DType.FP32
                || run.firstElement() < 0
                || run.firstElement() + x.elements() > run.rows() * run.columns()) {
            throw new IllegalArgumentException("x is " + x + " from element " + run.firstElement()
                    + " (allowed: FP32 elements of a matrix [" + run.rows() + ", " + run.columns() + "])");
        }
        return x.values();
    }

    private static ScalarTensor amaxes(Tensor amax, long rows, long columns) {
        return ScalarScaled.fp32("amax", amax, ScaleBlock.SQUARE.scales(rows, columns));
    }

    private static int scaleIndex(MatrixRun x, int i) {
        long element = x.firstElement() + i;
        return Math.toIntExact(
                ScaleBlock.SQUARE.scaleIndex(x.rows(), x.columns(), element / x.columns(), element % x.columns()));
    }

    @Override
    public void complete(Queue queue, Tensor amax, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        ScalarScaled rows = ScalarScaled.of("rowsMK", rowsMK).requireBlock("rowsMK", ScaleBlock.SQUARE);
        ScalarScaled columns = ScalarScaled.of("columnsKM", columnsKM)
                .requireBlock("columnsKM", ScaleBlock.SQUARE)
                .requireShape("columnsKM", rows.columns(), rows.rows());
        if (columns.codes().dtype() != rows.codes().dtype()) {
            throw new IllegalArgumentException("columnsKM is " + columns.codes() + " (allowed: the dtype of rowsMK, "
                    + rows.codes().dtype() + ")");
        }
        ScalarTensor amaxes = amaxes(amax, rows.rows(), rows.columns());
        var ofRows = new float[Math.toIntExact(amaxes.elements())];
        var ofColumns = new float[Math.toIntExact(columns.inverseScales().elements())];
        for (int element = 0; element < rows.codes().elements(); element++) {
            int at = rows.scaleIndex(element);
            ofRows[at] = (float) amaxes.get(at);
            ofColumns[columns.scaleIndex(element % rows.columns() * rows.rows() + element / rows.columns())] =
                    ofRows[at];
        }
        rows.setScales(DType.FP32, ofRows, rule);
        columns.codes().setValues(ScalarMatrix.transposed(rows.codes().values(), rows.rows(), rows.columns()));
        columns.setScales(DType.FP32, ofColumns, rule);
    }
}
