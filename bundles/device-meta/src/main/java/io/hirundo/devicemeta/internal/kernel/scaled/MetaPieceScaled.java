package io.hirundo.devicemeta.internal.kernel.scaled;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.kernel.scaled.MetaBlockScaled.Scaled;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Sharded quantization: one operation per compared element, and one per quantized element. */
public record MetaPieceScaled(Work work) implements PieceScaledKernels {
    @Override
    public void measure(Queue queue, MatrixRun x, Tensor amax) {
        MetaTensor values = values(x);
        work.book(queue, "pieceScaled.measure", values.elements(), values, magnitudes(amax, x.rows(), x.columns()));
    }

    @Override
    public void quantize(Queue queue, MatrixRun x, Tensor amax, ScaleRule rule, Tensor codes) {
        MetaTensor values = values(x);
        MetaTensor to = MetaTensor.CHECK.vector("codes", codes, values.elements(), DType.FP8_E4M3, DType.FP8_E5M2);
        work.book(
                queue, "pieceScaled.quantize", values.elements(), values, magnitudes(amax, x.rows(), x.columns()), to);
    }

    private static MetaTensor values(MatrixRun x) {
        MetaTensor values = MetaTensor.CHECK.of("x", x.values(), DType.FP32);
        if (x.firstElement() < 0 || x.firstElement() + values.elements() > x.rows() * x.columns()) {
            throw new IllegalArgumentException("x has " + values.elements() + " elements from " + x.firstElement()
                    + " on, beyond the matrix [" + x.rows() + ", " + x.columns() + "]");
        }
        return values;
    }

    private static MetaTensor magnitudes(Tensor amax, long rows, long columns) {
        return MetaTensor.CHECK.exactly("amax", amax, ScaleBlock.SQUARE.scales(rows, columns), DType.FP32);
    }

    @Override
    public void complete(Queue queue, Tensor amax, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        MetaTensor codes = MetaTensor.CHECK.of("rowsMK.codesMK", rowsMK.codesMK());
        long rows = codes.shape().rows();
        long columns = codes.shape().columns();
        Scaled straight = Scaled.of("rowsMK", rowsMK, rows, columns);
        Scaled turned = Scaled.of("columnsKM", columnsKM, columns, rows);
        work.book(
                queue,
                "pieceScaled.complete",
                0,
                magnitudes(amax, rows, columns),
                straight.codes(),
                straight.inverseScales(),
                turned.codes(),
                turned.inverseScales());
    }
}
