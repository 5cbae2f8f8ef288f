package io.hirundo.trainer.internal.parity;

import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** As {@link PlanParityTest}, in more layouts. */
@Tag("matrix")
class PlanMatrixTest {
    private static final List<Named<PrecisionStrategy>> PRECISIONS = List.of(
            Named.of("fp32", Layouts.FP32), Named.of("bf16", PlanParityTest.BF16), Named.of("fp8", PlanParityTest.FP8));

    @ParameterizedTest
    @MethodSource
    void peakBytesOfEveryRank(Layout layout, PrecisionStrategy precision) {
        PlanParityTest.assertPlanned(
                Layouts.configuration(layout),
                backend -> Layouts.strategies(layout, precision, backend, request -> new StructuredTokens()),
                Set.of());
    }

    /** What {@link PlanParityTest} leaves out of the few layouts, and half of the others, each in one precision. */
    static Stream<Arguments> peakBytesOfEveryRank() {
        List<Layout> checked = LayoutMatrix.ofMemory().toList();
        Stream<Arguments> ofFast =
                LayoutMatrix.fast().filter(layout -> !checked.contains(layout)).flatMap(PlanParityTest::inLessThanFp32);
        List<Layout> others =
                LayoutMatrix.matrix().skip(LayoutMatrix.fast().count()).toList();
        // Modes of data ranks repeat after 3 layouts, or after 6 that have tied and untied embeddings in turn. Each
        // mode has every precision.
        Stream<Arguments> ofOthers = IntStream.range(0, others.size() / 2)
                .mapToObj(pair -> Arguments.of(
                        others.get(2 * pair + pair / 3 % 2), PRECISIONS.get((pair + pair / 6) % PRECISIONS.size())));
        return Stream.concat(ofFast, ofOthers);
    }
}
