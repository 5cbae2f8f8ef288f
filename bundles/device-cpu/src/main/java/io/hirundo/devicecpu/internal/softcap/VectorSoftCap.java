package io.hirundo.devicecpu.internal.softcap;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.VectorTanh;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Soft caps with the Vector API, for FP32, and for BF16 that is widened block by block. FP64 goes to {@link ReferenceSoftCap}. */
public final class VectorSoftCap implements SoftCapKernels {
    private final WorkerPool pool;
    private final ReferenceSoftCap reference = new ReferenceSoftCap();

    public VectorSoftCap(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void cap(Queue queue, Tensor x, double cap) {
        CpuTensor checked = ReferenceSoftCap.checked(x, cap);
        if (checked.dtype() == DType.FP64) {
            reference.cap(queue, x, cap);
            return;
        }
        Blocks.elements(pool, checked.elements(), (first, count, scratch) -> {
            WideSpan span = WideSpan.of(checked, count, scratch);
            long at = span.read(first, count);
            int whole = Lanes.wholeVectors(count);
            VectorTanh.cap(at, Lanes.BYTES, whole / Lanes.COUNT, (float) cap);
            if (whole < count) {
                long rest = scratch.take(Lanes.BYTES);
                Memory.zero(rest, Lanes.BYTES);
                Memory.copy(at + whole * 4L, rest, (count - whole) * 4L);
                VectorTanh.cap(rest, Lanes.BYTES, 1, (float) cap);
                Memory.copy(rest, at + whole * 4L, (count - whole) * 4L);
            }
            span.store(first, count);
        });
    }

    @Override
    public void gradient(Queue queue, Tensor capped, double cap, Tensor dy) {
        CpuTensor gradient = ReferenceSoftCap.checked(dy, cap);
        CpuTensor values = CpuTensor.CHECK.vector("capped", capped, gradient.elements(), gradient.dtype());
        if (gradient.dtype() == DType.FP64) {
            reference.gradient(queue, capped, cap, dy);
            return;
        }
        Blocks.elements(pool, gradient.elements(), (first, count, scratch) -> {
            WideSpan source = WideSpan.of(values, count, scratch);
            WideSpan target = WideSpan.of(gradient, count, scratch);
            VectorTanh.multiplyBySlope(source.read(first, count), (float) (1 / cap), count, target.read(first, count));
            target.store(first, count);
        });
    }
}
