package io.hirundo.devicecpu.internal.norm;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HIGH;
import static io.hirundo.devicecpu.internal.vector.PairLanes.INTS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;
import static jdk.incubator.vector.VectorOperators.LSHL;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.PairLanes;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.tensor.DType;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * The weight gradient of RMSNorm, {@code dw += sum over tokens of dy x r}, into FP32. A task sums two vectors of channels over all
 * tokens, in blocks of tokens whose sums are added in order: no partial sums need memory, and rounding errors grow with the
 * block and the number of blocks instead of their product. The order of a channel's sum is the same in every loop.
 */
final class NormColumns {
    private static final int BLOCK_TOKENS = 64;
    /** Channels of a task: whole cache lines, of BF16 too. */
    private static final int TASK_CHANNELS = PairLanes.COUNT;

    private final NormOperands operands;
    private final CpuTensor dyTC;
    private final int tokens;
    private final int channels;
    private final boolean isBf16;
    private final long rowBytes;

    NormColumns(NormOperands operands, CpuTensor dyTC) {
        this.operands = operands;
        this.dyTC = dyTC;
        this.tokens = Math.toIntExact(operands.tokens());
        this.channels = operands.channels();
        this.isBf16 = dyTC.dtype() == DType.BF16;
        this.rowBytes = (long) channels * dyTC.dtype().byteSize();
    }

    int tasks() {
        return Blocks.count(channels, TASK_CHANNELS);
    }

    /** Adds the sums of one task's channels to {@code dwC}. */
    void add(int task, Scratch scratch, long dwC) {
        int first = task * TASK_CHANNELS;
        int count = Math.min(TASK_CHANNELS, channels - first);
        long dw = dwC + first * 4L;
        if (count == TASK_CHANNELS && isBf16) {
            addPairs(first, dw, scratch.take(2L * Lanes.BYTES));
            return;
        }
        if (count == TASK_CHANNELS) {
            addTwo(first, dw);
            return;
        }
        int vector = count < Lanes.COUNT ? 0 : Lanes.COUNT;
        if (vector > 0) {
            addOne(scratch, first, dw);
        }
        if (vector < count) {
            addOthers(scratch, first + vector, count - vector, dw + vector * 4L);
        }
    }

    private void addPairs(int first, long dw, long sums) {
        FloatVector evenTotal = broadcast(FLOATS, 0);
        FloatVector oddTotal = broadcast(FLOATS, 0);
        long x = operands.x().address() + first * 2L;
        long dy = dyTC.address() + first * 2L;
        for (int block = 0; block < tokens; block += BLOCK_TOKENS) {
            int count = Math.min(BLOCK_TOKENS, tokens - block);
            long rs = operands.inverseRms().address() + block * 4L;
            FloatVector even = broadcast(FLOATS, 0);
            FloatVector odd = broadcast(FLOATS, 0);
            for (int token = 0; token < count; token++) {
                long at = (block + token) * rowBytes;
                FloatVector r = broadcast(FLOATS, getFloat(rs + token * 4L));
                IntVector xs = IntVector.fromMemorySegment(INTS, ALL, x + at, ORDER);
                IntVector dys = IntVector.fromMemorySegment(INTS, ALL, dy + at, ORDER);
                FloatVector evenX = xs.lanewise(LSHL, 16).reinterpretAsFloats().mul(r);
                FloatVector oddX = xs.and(HIGH).reinterpretAsFloats().mul(r);
                even = evenX.fma(dys.lanewise(LSHL, 16).reinterpretAsFloats(), even);
                odd = oddX.fma(dys.and(HIGH).reinterpretAsFloats(), odd);
            }
            evenTotal = even.add(evenTotal);
            oddTotal = odd.add(oddTotal);
        }
        evenTotal.intoMemorySegment(ALL, sums, ORDER);
        oddTotal.intoMemorySegment(ALL, sums + Lanes.BYTES, ORDER);
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            long at = dw + lane * 8L;
            setFloat(at, getFloat(at) + getFloat(sums + lane * 4L));
            setFloat(at + 4, getFloat(at + 4) + getFloat(sums + Lanes.BYTES + lane * 4L));
        }
    }

    private void addTwo(int first, long dw) {
        FloatVector total0 = broadcast(FLOATS, 0);
        FloatVector total1 = broadcast(FLOATS, 0);
        long x = operands.x().address() + first * 4L;
        long dy = dyTC.address() + first * 4L;
        for (int block = 0; block < tokens; block += BLOCK_TOKENS) {
            int count = Math.min(BLOCK_TOKENS, tokens - block);
            long rs = operands.inverseRms().address() + block * 4L;
            FloatVector sum0 = broadcast(FLOATS, 0);
            FloatVector sum1 = broadcast(FLOATS, 0);
            for (int token = 0; token < count; token++) {
                long at = (block + token) * rowBytes;
                FloatVector r = broadcast(FLOATS, getFloat(rs + token * 4L));
                FloatVector x0 = fromMemorySegment(FLOATS, ALL, x + at, ORDER).mul(r);
                FloatVector x1 = fromMemorySegment(FLOATS, ALL, x + at + Lanes.BYTES, ORDER)
                        .mul(r);
                sum0 = x0.fma(fromMemorySegment(FLOATS, ALL, dy + at, ORDER), sum0);
                sum1 = x1.fma(fromMemorySegment(FLOATS, ALL, dy + at + Lanes.BYTES, ORDER), sum1);
            }
            total0 = sum0.add(total0);
            total1 = sum1.add(total1);
        }
        fromMemorySegment(FLOATS, ALL, dw, ORDER).add(total0).intoMemorySegment(ALL, dw, ORDER);
        fromMemorySegment(FLOATS, ALL, dw + Lanes.BYTES, ORDER)
                .add(total1)
                .intoMemorySegment(ALL, dw + Lanes.BYTES, ORDER);
    }

    private void addOne(Scratch scratch, int first, long dw) {
        WideSpan xTC = WideSpan.of(operands.x(), (long) BLOCK_TOKENS * Lanes.COUNT, scratch);
        WideSpan dyRows = WideSpan.of(dyTC, (long) BLOCK_TOKENS * Lanes.COUNT, scratch);
        long stride = xTC.stride(channels, Lanes.COUNT);
        FloatVector total = broadcast(FLOATS, 0);
        for (int block = 0; block < tokens; block += BLOCK_TOKENS) {
            int count = Math.min(BLOCK_TOKENS, tokens - block);
            long xs = xTC.readRows((long) block * channels + first, channels, count, Lanes.COUNT);
            long dys = dyRows.readRows((long) block * channels + first, channels, count, Lanes.COUNT);
            long rs = operands.inverseRms().address() + block * 4L;
            FloatVector sum = broadcast(FLOATS, 0);
            for (int token = 0; token < count; token++) {
                long at = token * stride;
                FloatVector x = fromMemorySegment(FLOATS, ALL, xs + at, ORDER).mul(getFloat(rs + token * 4L));
                sum = x.fma(fromMemorySegment(FLOATS, ALL, dys + at, ORDER), sum);
            }
            total = sum.add(total);
        }
        fromMemorySegment(FLOATS, ALL, dw, ORDER).add(total).intoMemorySegment(ALL, dw, ORDER);
    }

    private void addOthers(Scratch scratch, int first, int others, long dw) {
        WideSpan xTC = WideSpan.of(operands.x(), (long) BLOCK_TOKENS * others, scratch);
        WideSpan dyRows = WideSpan.of(dyTC, (long) BLOCK_TOKENS * others, scratch);
        long stride = xTC.stride(channels, others);
        float[] totals = new float[others];
        for (int block = 0; block < tokens; block += BLOCK_TOKENS) {
            int count = Math.min(BLOCK_TOKENS, tokens - block);
            long xs = xTC.readRows((long) block * channels + first, channels, count, others);
            long dys = dyRows.readRows((long) block * channels + first, channels, count, others);
            long rs = operands.inverseRms().address() + block * 4L;
            for (int channel = 0; channel < others; channel++) {
                float sum = 0;
                for (int token = 0; token < count; token++) {
                    long at = token * stride + channel * 4L;
                    sum = Math.fma(getFloat(xs + at) * getFloat(rs + token * 4L), getFloat(dys + at), sum);
                }
                totals[channel] += sum;
            }
        }
        for (int channel = 0; channel < others; channel++) {
            setFloat(dw + channel * 4L, getFloat(dw + channel * 4L) + totals[channel]);
        }
    }
}
