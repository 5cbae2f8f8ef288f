package __package__;

import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.layer.LayerCase;
import io.hirundo.testkit.layer.LayerKind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of layers, for attention with a window and a soft cap: ranks of the context axis compute what one rank computes. */
@ParameterizedClass
@ValueSource(booleans = {true, false})
@HirundoContract
record __Name__ChunksTest(boolean overlap) implements LayerContract {
    @Override
    public LayerCase<?> layer() {
        return LayerKind.ATTENTION.layer();
    }

    @Override
    public List<LayerProvider<?, ?>> providers() {
        return PlainProviders.all();
    }

    @Override
    public Optional<ContextParallel> contextParallel() {
        return Optional.of(new __Name__Factory().create(new __Name__Options(overlap)));
    }
}
