package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.concurrent.atomic.AtomicInteger;

/** 8-bit matrices with one scale with the Vector API, bit for bit as {@link ReferenceMatrixScaled} makes them. */
public final class VectorMatrixScaled implements MatrixScaledKernels {
    private final WorkerPool pool;

    public VectorMatrixScaled(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void maximum(Queue queue, Tensor x, Tensor amax1, boolean accumulate) {
        CpuTensor values = CpuTensor.CHECK.of("x", x, DType.FP32, DType.BF16);
        CpuTensor amax = CpuTensor.CHECK.vector("amax1", amax1, 1, DType.FP32);
        float before = accumulate ? Memory.getFloat(amax.address()) : 0;
        // The bits of magnitudes have their order.
        var largest = new AtomicInteger(Float.floatToRawIntBits(before));
        Blocks.elements(pool, values.elements(), (first, count, scratch) -> {
            long span = WideSpan.of(values, count, scratch).read(first, count);
            float found = Fp8Loops.maximum(span, count, 0);
            int bits = Float.floatToRawIntBits(Float.isInfinite(found) ? finiteMaximum(span, count) : found);
            largest.accumulateAndGet(bits, Math::max);
        });
        Memory.setFloat(amax.address(), Float.intBitsToFloat(largest.get()));
    }

    private static float finiteMaximum(long x, int count) {
        float largest = 0;
        for (int i = 0; i < count; i++) {
            float magnitude = Math.abs(Memory.getFloat(x + i * 4L));
            largest = magnitude > largest && magnitude < Float.POSITIVE_INFINITY ? magnitude : largest;
        }
        return largest;
    }

    @Override
    public void quantize(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix rowsMK) {
        quantize(ScaledOperands.of(xMK, rule, false, rowsMK), amax1);
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, Tensor amax1, ScaleRule rule, ScaledMatrix columnsKM) {
        quantize(ScaledOperands.of(xMK, rule, true, columnsKM), amax1);
    }

    private void quantize(ScaledOperands operands, Tensor amax1) {
        var tiles = new QuantizedTiles(operands, operands.scaleOfMatrix(amax1));
        pool.run(tiles.tasks(), tiles);
    }
}
