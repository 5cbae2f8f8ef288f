package io.hirundo.lib.transformer;

import io.hirundo.device.MemoryCategory;
import io.hirundo.model.LayerSpec;
import io.hirundo.parallel.LayerScope;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Cosines and sines of the rotary embedding (RoPE), computed in double precision. Layers with equal parameters share them.
 *
 * @param cosPD2 [positions, D/2]
 * @param sinPD2 [positions, D/2]
 */
record RotaryTable(Tensor cosPD2, Tensor sinPD2) implements AutoCloseable {
    private record Key(List<Double> inverseFrequencies, int positions) {}

    static RotaryTable of(LayerSpec.Attention spec, LayerScope scope) {
        var key = new Key(spec.inverseFrequencies(), spec.maximumPositions());
        return scope.shared(key, () -> create(key, scope));
    }

    /** If memory runs out on the way, the run continues: nothing may be left. */
    private static RotaryTable create(Key key, LayerScope scope) {
        Tensor cosPD2 = table(key, scope, Math::cos);
        try {
            return new RotaryTable(cosPD2, table(key, scope, Math::sin));
        } catch (RuntimeException | Error failure) {
            closeAfter(failure, cosPD2);
            throw failure;
        }
    }

    private static void closeAfter(Throwable failure, Tensor tensor) {
        try {
            tensor.close();
        } catch (RuntimeException further) {
            failure.addSuppressed(further);
        }
    }

    private static Tensor table(Key key, LayerScope scope, DoubleUnaryOperator function) {
        // FP32, because bfloat16's 8 significant bits are too few for the angles of large positions.
        DType dtype = scope.activationType().statisticsType();
        Tensor tablePD2 = scope.device()
                .allocate(
                        MemoryCategory.WORKSPACE,
                        Shape.of(key.positions(), key.inverseFrequencies().size()),
                        dtype);
        try {
            fill(tablePD2, key, scope, function);
            return tablePD2;
        } catch (RuntimeException | Error failure) {
            closeAfter(failure, tablePD2);
            throw failure;
        }
    }

    private static void fill(Tensor tablePD2, Key key, LayerScope scope, DoubleUnaryOperator function) {
        if (!scope.device().computes()) {
            return;
        }
        int pairs = key.inverseFrequencies().size();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(tablePD2.byteSize(), 8);
            for (int position = 0; position < key.positions(); position++) {
                for (int pair = 0; pair < pairs; pair++) {
                    double value = function.applyAsDouble(
                            position * key.inverseFrequencies().get(pair));
                    long index = (long) position * pairs + pair;
                    if (tablePD2.dtype() == DType.FP64) {
                        host.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
                    } else {
                        host.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
                    }
                }
            }
            scope.device().transfer().uploadAtOnce(scope.queue(), host, tablePD2);
        }
    }

    @Override
    public void close() {
        cosPD2.close();
        sinPD2.close();
    }
}
