package io.hirundo.lib.engine.provider;

import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.parallelcp.internal.AllGatherFactory;
import io.hirundo.parallelcp.internal.OverlapOptions;
import io.hirundo.parallelcp.internal.RingFactory;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowFactory;
import io.hirundo.paralleltp.internal.columnrow.ColumnRowOptions;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.layer.LayerCase;
import io.hirundo.testkit.layer.LayerKind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The kinds of layers of the API, with {@code column-row} and {@code ring}; attention with {@code all-gather} too. */
class LayerKindsTest {
    @Nested
    @ParameterizedClass
    @EnumSource
    @HirundoContract
    class WithRing implements OfKind {
        @Parameter
        LayerKind kind;

        @Override
        public LayerKind kind() {
            return kind;
        }

        @Override
        public Optional<ContextParallel> contextParallel() {
            return Optional.of(new RingFactory().create(new OverlapOptions()));
        }
    }

    @Nested
    @HirundoContract
    class AttentionWithAllGather implements OfKind {
        @Override
        public LayerKind kind() {
            return LayerKind.ATTENTION;
        }

        @Override
        public Optional<ContextParallel> contextParallel() {
            return Optional.of(new AllGatherFactory().create(new OverlapOptions()));
        }
    }

    interface OfKind extends LayerContract {
        LayerKind kind();

        @Override
        default LayerCase<?> layer() {
            return kind().layer();
        }

        @Override
        default List<LayerProvider<?, ?>> providers() {
            return PlainProviders.all();
        }

        @Override
        default TensorParallel tensorParallel(boolean sequenceParallel) {
            return new ColumnRowFactory()
                    .create(new ColumnRowOptions(sequenceParallel, true, true, true, true, 2, true));
        }
    }
}
