package io.hirundo.lib.precision;

import io.hirundo.device.Queue;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.Tensor;

/** Gradients from dy and its transpose, quantized in one pass. Each quantized matrix is released after its GEMM. */
final class QuantizedGradients implements GradientPair {
    private final QuantizedGemms gemms;
    private final Queue queue;
    private final Tensor dyTN;
    private final QuantizedWeight weight;
    private final Tensor dwNK;

    /** Null after their GEMMs. */
    private QuantizedMatrix rows;

    private QuantizedMatrix columns;

    /** Takes ownership of {@code rows} and {@code columns}, both of dy. */
    QuantizedGradients(
            QuantizedGemms gemms,
            Queue queue,
            Tensor dyTN,
            QuantizedMatrix rows,
            QuantizedMatrix columns,
            QuantizedWeight weight,
            Tensor dwNK) {
        this.gemms = gemms;
        this.queue = queue;
        this.dyTN = dyTN;
        this.rows = rows;
        this.columns = columns;
        this.weight = weight;
        this.dwNK = dwNK;
    }

    void quantize(OperandQuantizer quantizer) {
        quantizer.quantizeBoth(queue, Operand.OUTPUT_GRADIENT, dyTN, rows.scaled(), columns.scaled());
    }

    @Override
    public void input(Tensor dxTK) {
        try (QuantizedMatrix dy = rows) {
            rows = null;
            gemms.inputGradient(queue, dy, weight, dxTK);
        }
    }

    @Override
    public void weight(Tensor xTK) {
        try (QuantizedMatrix dy = columns) {
            columns = null;
            gemms.weightGradient(queue, dy, dyTN, xTK, dwNK);
        }
    }

    @Override
    public void weight(PackedOperand x) {
        try (QuantizedMatrix dy = columns) {
            columns = null;
            gemms.packedProducts().orElseThrow().weightGradient(queue, dy, x, dwNK);
        }
    }

    @Override
    public void close() {
        try (QuantizedMatrix _ = rows;
                QuantizedMatrix _ = columns) {
            rows = null;
            columns = null;
        }
    }
}
