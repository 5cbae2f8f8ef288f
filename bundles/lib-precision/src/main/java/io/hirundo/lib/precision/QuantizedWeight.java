package io.hirundo.lib.precision;

import io.hirundo.precision.PreparedWeight;

/** A quantized weight [N, K] and its transpose [K, N]. */
record QuantizedWeight(QuantizedMatrix rows, QuantizedMatrix columns) implements PreparedWeight {
    @Override
    public void close() {
        try {
            rows.close();
        } finally {
            columns.close();
        }
    }
}
