package io.hirundo.lib.precision;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.MessageCoding;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Quantized point-to-point transfers with 1 x 128 scaling, quantized like a layer's input. */
public final class QuantizedTransfers implements MessageCoding {
    private final BlockScaledKernels kernels;
    private final PackedCodes codes;

    /** Needs a {@code quantizer} with ROW blocks for inputs and without state. */
    public QuantizedTransfers(Device device, BlockScaledKernels kernels, OperandQuantizer quantizer) {
        this.kernels = kernels;
        this.codes =
                new PackedCodes(device, quantizer, quantizer.transferredScales().orElse(DType.FP32));
    }

    @Override
    public PackedOperand allocate(long rows, long columns) {
        return codes.allocate(Operand.INPUT, Contraction.FEATURES, rows, columns, 1);
    }

    @Override
    public void pack(Queue queue, Tensor xMK, PackedOperand packed) {
        codes.pack(queue, Operand.INPUT, Contraction.FEATURES, xMK, packed);
    }

    @Override
    public void unpack(Queue queue, PackedOperand packed, Tensor xMK) {
        try (var unpacked = codes.unpack(queue, packed)) {
            kernels.dequantize(queue, unpacked.scaled(), xMK);
        }
    }
}
