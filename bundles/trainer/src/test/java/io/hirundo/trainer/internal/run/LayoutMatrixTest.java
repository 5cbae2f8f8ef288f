package io.hirundo.trainer.internal.run;

import io.hirundo.trainer.internal.run.Layouts.Layout;
import io.hirundo.trainer.internal.run.Layouts.Trace;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The layouts of the whole matrix but those of {@link LayoutParityTest}, in the profile {@code parity}. */
@Tag("matrix")
class LayoutMatrixTest {
  private static final Map<Layout, Trace> ALONE = new ConcurrentHashMap<>();

  @ParameterizedTest
  @MethodSource
  void matrix(Layout layout) {
    LayoutParityTest.PARITY.check(ALONE.computeIfAbsent(layout.alone(), Layouts::run), Layouts.run(layout));
  }

  static Stream<Layout> matrix() {
    return LayoutMatrix.matrix().skip(LayoutMatrix.fast().count());
  }
}
