package io.hirundo.devicecpu.internal.optimizer;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.DynamicMap;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.tensor.Tensor;
import java.util.List;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * AdamW with moments in 8 bits: a block's moments are widened into a worker's scratch memory, updated by the loops of {@link VectorOptimizer}, and
 * quantized again.
 */
public final class VectorAdamW8Bit implements AdamW8BitKernels {
    private static final int BYTES = BLOCK_ELEMENTS * Float.BYTES;

    private final WorkerPool pool;

    public VectorAdamW8Bit(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void adamW(Queue queue, AdamWCoefficients coefficients, Tensor gradientCoefficient1, List<Update> updates) {
        double factor = OptimizerOperands.scalar("gradientCoefficient1", gradientCoefficient1)
                .getDouble(0);
        var loops = new OptimizerLoops(coefficients, factor);
        for (Update each : updates) {
            Adam8BitOperands checked = Adam8BitOperands.of(each);
            Blocks.elements(pool, checked.parameter().elements(), (first, count, scratch) -> {
                long moments = scratch.take(2L * BYTES);
                for (long block = first / BLOCK_ELEMENTS; block < (first + count) / BLOCK_ELEMENTS; block++) {
                    adamW(loops, checked, block, moments);
                }
            });
        }
    }

    /** {@code moments}: room for both of a block. */
    private static void adamW(OptimizerLoops loops, Adam8BitOperands operands, long block, long moments) {
        long first = moments;
        long second = moments + BYTES;
        long firstQuantized = operands.firstQuantized().address() + block * BLOCK_ELEMENTS;
        long secondQuantized = operands.secondQuantized().address() + block * BLOCK_ELEMENTS;
        long firstScale = operands.firstScales().address() + block * Float.BYTES;
        long secondScale = operands.secondScales().address() + block * Float.BYTES;
        read(DynamicMap.SIGNED, firstQuantized, getFloat(firstScale), first);
        read(DynamicMap.UNSIGNED, secondQuantized, getFloat(secondScale), second);
        loops.adamW(
                operands.gradient().address() + block * BYTES,
                operands.parameter().address() + block * BYTES,
                first,
                second,
                BLOCK_ELEMENTS);
        write(QuantizedBlocks.SIGNED, first, firstQuantized, firstScale);
        write(QuantizedBlocks.UNSIGNED, second, secondQuantized, secondScale);
    }

    private static void read(DynamicMap map, long quantized, float scale, long values) {
        for (int i = 0; i < BLOCK_ELEMENTS; i++) {
            // Nothing has been stored in a block of scale 0.
            setFloat(values + i * 4L, scale == 0 ? 0 : scale * map.value(Memory.getByte(quantized + i) & 0xff));
        }
    }

    private static void write(QuantizedBlocks map, long values, long quantized, long scaleAddress) {
        // The bits of magnitudes are in the order of the magnitudes, and NaN is the largest: an integer maximum needs
        // no case for NaN.
        IntVector most = fromMemorySegment(FLOATS, ALL, values, ORDER)
                .reinterpretAsInts()
                .and(Integer.MAX_VALUE);
        for (int i = Lanes.COUNT; i < BLOCK_ELEMENTS; i += Lanes.COUNT) {
            most = most.max(fromMemorySegment(FLOATS, ALL, values + i * 4L, ORDER)
                    .reinterpretAsInts()
                    .and(Integer.MAX_VALUE));
        }
        float scale = Float.intBitsToFloat(most.reduceLanes(VectorOperators.MAX));
        setFloat(scaleAddress, scale);
        if (scale == 0) {
            Memory.zero(quantized, BLOCK_ELEMENTS);
        } else {
            map.quantize(values, scale, BLOCK_ELEMENTS, quantized);
        }
    }
}
