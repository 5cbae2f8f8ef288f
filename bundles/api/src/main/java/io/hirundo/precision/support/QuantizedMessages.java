package io.hirundo.precision.support;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.BlockScaledKernels;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.MessageCoding;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Messages as codes and scales of 128 elements in a row, each quantized as the input of a layer is. */
public final class QuantizedMessages implements MessageCoding {
  private final BlockScaledKernels kernels;
  private final PackedCodes codes;

  /** {@code quantizer}: whose inputs have blocks in rows, and no state. */
  public QuantizedMessages(Device device, BlockScaledKernels kernels, OperandQuantizer quantizer) {
    this.kernels = kernels;
    this.codes = new PackedCodes(device, quantizer, quantizer.travellingScales().orElse(DType.FP32));
  }

  @Override
  public PackedOperand allocate(long rows, long columns) {
    return codes.allocate(Operand.INPUT, Contraction.FEATURES, rows, columns, 1);
  }

  @Override
  public void pack(Queue queue, Tensor xMK, PackedOperand message) {
    codes.pack(queue, Operand.INPUT, Contraction.FEATURES, xMK, message);
  }

  @Override
  public void unpack(Queue queue, PackedOperand message, Tensor xMK) {
    try (var unpacked = codes.unpack(queue, message)) {
      kernels.dequantize(queue, unpacked.scaled(), xMK);
    }
  }
}
