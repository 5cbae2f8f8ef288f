package io.hirundo.trainer.internal.parity;

import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All layouts of the matrix for other models than Llama, in the profile {@code families}, with the number of layers and tied weights that a
 * layout has. {@link QwenParityTest} and {@link Gemma2ParityTest} run those that together cover the pairs of {@link PairwiseCover}.
 */
@Tag("families")
class FamilyMatrixTest {
    private record Alone(SmallFamily family, Layout layout) {}

    private static final Map<Alone, Trace> ALONE = new ConcurrentHashMap<>();

    static Stream<Arguments> matrix() {
        return Arrays.stream(SmallFamily.values())
                .flatMap(family -> LayoutMatrix.matrix().map(layout -> Arguments.of(family, layout)));
    }

    @ParameterizedTest
    @MethodSource
    void matrix(SmallFamily family, Layout layout) {
        Trace alone =
                ALONE.computeIfAbsent(new Alone(family, layout.alone()), each -> run(each.family(), each.layout()));
        LayoutParityTest.PARITY.check(alone, run(family, layout));
    }

    private static Trace run(SmallFamily family, Layout layout) {
        return Layouts.run(layout, family.model(layout.layers(), layout.tied()));
    }
}
