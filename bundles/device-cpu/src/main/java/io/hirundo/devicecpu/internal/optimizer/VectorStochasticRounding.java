package io.hirundo.devicecpu.internal.optimizer;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.VectorOperators.LSHR;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.optimizer.StochasticRounding;
import io.hirundo.kernel.optimizer.StochasticRoundingKernels;
import io.hirundo.tensor.DType;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** The formulas of {@link StochasticRounding} with the Vector API, where as many elements as a vector has are in one row. */
public final class VectorStochasticRounding implements StochasticRoundingKernels {
    private static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());
    private static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));
    private static final IntVector LANES = IntVector.zero(INTS).addIndex(1);

    private final WorkerPool pool;

    public VectorStochasticRounding(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void round(Queue queue, List<Rounding> roundings) {
        for (Rounding each : roundings) {
            CpuTensor from = CpuTensor.CHECK.of("fromN", each.fromN(), DType.FP32);
            CpuTensor to = CpuTensor.CHECK.of("toN", each.toN(), DType.BF16);
            Blocks.elements(
                    pool,
                    from.elements(),
                    (first, count) -> round(each.places(), from.address(), to.address(), first, first + count));
        }
    }

    /** The elements [begin, end); a row after the other. */
    private static void round(Places places, long from, long to, long begin, long end) {
        long at = begin;
        while (at < end) {
            long leftOfRow = places.columns() - (places.skipped() + at) % places.columns();
            long rowEnd = Math.min(end - at, leftOfRow) + at;
            long whole = at + Lanes.wholeVectors((int) (rowEnd - at));
            for (; at < whole; at += Lanes.COUNT) {
                long index = places.index(at);
                if ((int) (index >>> 32) != (int) (index + Lanes.COUNT - 1 >>> 32)) {
                    roundEach(places, from, to, at, at + Lanes.COUNT);
                } else {
                    roundLanes(places.key(), index, from + at * Float.BYTES, to + at * Short.BYTES);
                }
            }
            roundEach(places, from, to, at, rowEnd);
            at = rowEnd;
        }
    }

    private static void roundEach(Places places, long from, long to, long begin, long end) {
        for (long i = begin; i < end; i++) {
            ReferenceStochasticRounding.roundOne(places, from, to, i);
        }
    }

    /** {@code index}: of the first lane; the upper halves of all are equal. */
    private static void roundLanes(long key, long index, long from, long to) {
        int outer = StochasticRounding.outer(key, index);
        IntVector x = LANES.add((int) index + (int) key);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(LSHR, 16)).mul(StochasticRounding.FACTOR_1);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(LSHR, 13)).mul(StochasticRounding.FACTOR_2);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(LSHR, 16)).lanewise(VectorOperators.XOR, outer);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(LSHR, 16)).mul(StochasticRounding.FACTOR_1);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(LSHR, 13)).mul(StochasticRounding.FACTOR_2);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(LSHR, 16)).lanewise(LSHR, 16);
        FloatVector values = FloatVector.fromMemorySegment(FLOATS, ALL, from, ORDER);
        IntVector whole = values.reinterpretAsInts();
        IntVector rounded = whole.add(x).lanewise(LSHR, 16);
        IntVector nan = whole.lanewise(LSHR, 16).lanewise(VectorOperators.OR, StochasticRounding.QUIET_NAN);
        var isNan = values.test(VectorOperators.IS_NAN).cast(INTS);
        rounded.blend(nan, isNan)
                .convertShape(VectorOperators.I2S, SHORTS, 0)
                .reinterpretAsShorts()
                .intoMemorySegment(ALL, to, ORDER);
    }
}
