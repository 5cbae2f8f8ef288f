package io.hirundo.trainer.internal.parity;

import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All layouts of the matrix but those of {@link LayoutParityTest}, in the profile {@code parity}. A wrong sum shows in the first
 * gradients, a wrong update in the weights after it; {@link LayoutParityTest} trains 20 steps in layouts that cover every strategy, and
 * the profile {@code soak} does so here.
 */
@Tag("matrix")
class LayoutMatrixTest {
    @ParameterizedTest
    @MethodSource
    void matrix(Layout layout) {
        Trace alone = Layouts.alone(layout, Layouts.FP32, Layouts.MATRIX_STEPS);
        LayoutParityTest.PARITY.check(alone, Layouts.run(layout, Layouts.MATRIX_STEPS));
    }

    /** The few that {@link LayoutParityTest} leaves out. */
    @ParameterizedTest
    @MethodSource
    void overlapChangesNoBit(Layout layout) {
        LayoutParityTest.assertOverlapChangesNoBit(layout);
    }

    static Stream<Layout> overlapChangesNoBit() {
        List<Layout> checked = LayoutMatrix.hiding().toList();
        return LayoutMatrix.fast().filter(layout -> !checked.contains(layout));
    }

    /** All axes at once. */
    @ParameterizedTest
    @MethodSource
    void documents(Layout layout) {
        LayoutParityTest.checkDocuments(layout);
    }

    static Stream<Layout> documents() {
        return LayoutMatrix.ofEachAxis().skip(LayoutMatrix.ofSingleAxes().count());
    }

    static Stream<Layout> matrix() {
        return LayoutMatrix.matrix().skip(LayoutMatrix.fast().count());
    }
}
