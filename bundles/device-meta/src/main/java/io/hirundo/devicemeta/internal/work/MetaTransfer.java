package io.hirundo.devicemeta.internal.work;

import io.hirundo.device.EagerTransfer;
import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Counts transfers; downloads deliver NaN, or 0 for integers. */
public record MetaTransfer(Work work) implements EagerTransfer {
    private static final ValueLayout.OfDouble FP64 =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort BF16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final short BF16_NAN = 0x7FC0;
    private static final byte FP8_NAN = 0x7F;

    @Override
    public void upload(Queue queue, MemorySegment host, Tensor tensor) {
        work.book(queue, "transfer.upload", 0, checked(host, tensor));
    }

    @Override
    public void download(Queue queue, Tensor tensor, MemorySegment host) {
        MetaTensor from = checked(host, tensor);
        for (long i = 0; i < from.elements(); i++) {
            switch (from.dtype()) {
                case FP64 -> host.set(FP64, i * 8, Double.NaN);
                case FP32 -> host.set(FP32, i * 4, Float.NaN);
                case BF16 -> host.set(BF16, i * 2, BF16_NAN);
                case FP8_E4M3, FP8_E5M2 -> host.set(ValueLayout.JAVA_BYTE, i, FP8_NAN);
                case INT32 -> host.set(ValueLayout.JAVA_INT_UNALIGNED, i * 4, 0);
            }
        }
        work.book(queue, "transfer.download", 0, from);
    }

    private static MetaTensor checked(MemorySegment host, Tensor tensor) {
        MetaTensor checked = MetaTensor.CHECK.of("tensor", tensor);
        if (host.byteSize() < checked.byteSize()) {
            throw new IllegalArgumentException(
                    "host holds " + host.byteSize() + " bytes, tensor " + checked + " needs " + checked.byteSize());
        }
        return checked;
    }
}
