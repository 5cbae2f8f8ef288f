package io.hirundo.devicecpu.internal.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.optimizer.StochasticRounding;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.tensor.DType;
import java.util.List;

/** Stochastic rounding to BF16, element by element. */
public final class ReferenceStochasticRounding implements StochasticRoundingKernels {
    @Override
    public void round(Queue queue, List<Rounding> roundings) {
        for (Rounding each : roundings) {
            CpuTensor from = CpuTensor.CHECK.of("fromN", each.fromN(), DType.FP32);
            CpuTensor to = CpuTensor.CHECK.of("toN", each.toN(), DType.BF16);
            for (long i = 0; i < from.elements(); i++) {
                roundOne(each.places(), from.address(), to.address(), i);
            }
        }
    }

    /** {@code from} and {@code to}: addresses of element 0. */
    static void roundOne(Places places, long from, long to, long i) {
        int bits = StochasticRounding.bits(places.key(), places.index(i));
        Memory.setShort(
                to + i * Short.BYTES, StochasticRounding.rounded(Memory.getFloat(from + i * Float.BYTES), bits));
    }
}
