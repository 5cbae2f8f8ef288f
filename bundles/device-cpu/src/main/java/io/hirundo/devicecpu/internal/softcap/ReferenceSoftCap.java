package io.hirundo.devicecpu.internal.softcap;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.tensor.Tensor;

/** Soft caps an element at a time, in double arithmetic, for FP64, FP32 and BF16. */
public final class ReferenceSoftCap implements SoftCapKernels {
    @Override
    public void cap(Queue queue, Tensor x, double cap) {
        CpuTensor checked = checked(x, cap);
        for (long i = 0; i < checked.elements(); i++) {
            checked.setDouble(i, cap * Math.tanh(checked.getDouble(i) / cap));
        }
    }

    @Override
    public void gradient(Queue queue, Tensor capped, double cap, Tensor dy) {
        CpuTensor gradient = checked(dy, cap);
        CpuTensor values = CpuTensor.CHECK.vector("capped", capped, gradient.elements(), gradient.dtype());
        for (long i = 0; i < gradient.elements(); i++) {
            double share = values.getDouble(i) / cap;
            gradient.setDouble(i, gradient.getDouble(i) * (1 - share * share));
        }
    }

    /** The operand that is overwritten. */
    static CpuTensor checked(Tensor tensor, double cap) {
        if (!(cap > 0 && Double.isFinite(cap))) {
            throw new IllegalArgumentException("cap is " + cap + " (allowed: positive numbers)");
        }
        return CpuTensor.CHECK.floating("x", tensor);
    }
}
