package io.hirundo.lib.precision;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** Memory of a quantized matrix; owns its tensors. */
public record QuantizedMatrix(ScaledMatrix scaled) implements AutoCloseable {
    /** Allocates quantized values [rows, columns] and their scales. */
    public static QuantizedMatrix allocate(
            Device device, MemoryCategory category, DType type, ScaleBlock block, long rows, long columns) {
        Tensor codes = device.allocate(category, Shape.of(rows, columns), type);
        try {
            Tensor scales = device.allocate(category, block.scales(rows, columns), DType.FP32);
            return new QuantizedMatrix(new ScaledMatrix(codes, scales, block));
        } catch (RuntimeException failure) {
            codes.close();
            throw failure;
        }
    }

    @Override
    public void close() {
        try {
            scaled.codesMK().close();
        } finally {
            scaled.inverseScales().close();
        }
    }
}
