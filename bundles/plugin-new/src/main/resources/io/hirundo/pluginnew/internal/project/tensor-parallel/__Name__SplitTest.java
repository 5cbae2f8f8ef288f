package __package__;

import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.TensorParallel;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.LayerContract;
import io.hirundo.testkit.layer.LayerCase;
import io.hirundo.testkit.layer.LayerKind;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of layers, for all kinds of the API: every split computes what one rank computes. */
@ParameterizedClass
@MethodSource("cases")
@HirundoContract
record __Name__SplitTest(LayerKind kind, boolean attention) implements LayerContract {
    static Stream<Arguments> cases() {
        return Arrays.stream(LayerKind.values())
                .flatMap(kind -> Stream.of(Arguments.of(kind, true), Arguments.of(kind, false)));
    }

    @Override
    public LayerCase<?> layer() {
        return kind.layer();
    }

    @Override
    public List<LayerProvider<?, ?>> providers() {
        return PlainProviders.all();
    }

    /** Without sequence parallelism, whatever the argument. */
    @Override
    public TensorParallel tensorParallel(boolean sequenceParallel) {
        return new __Name__Factory().create(new __Name__Options(attention));
    }
}
