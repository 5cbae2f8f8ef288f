package io.hirundo.trainer.internal.parity;

import io.hirundo.model.Architecture;
import io.hirundo.modelgemma2.internal.Gemma2Factory;
import io.hirundo.modelgemma2.internal.Gemma2Options;
import io.hirundo.modelqwen.internal.QwenFactory;
import io.hirundo.modelqwen.internal.QwenOptions;
import io.hirundo.modelqwen.internal.QwenType;
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
 * All layouts of the matrix for other models than Llama, in the profile {@code families}. {@link QwenParityTest} and {@link
 * Gemma2ParityTest} run those that together cover each pair of axes and strategies.
 */
@Tag("families")
class FamilyMatrixTest {
  /** A model, with the number of layers and tied weights that a layout has. */
  enum Family {
    QWEN2,
    QWEN3,
    /** Always tied. */
    GEMMA2;

    Architecture model(Layout layout) {
      return switch (this) {
        case QWEN2 -> qwen(QwenType.QWEN2, layout);
        case QWEN3 -> qwen(QwenType.QWEN3, layout);
        case GEMMA2 ->
            new Gemma2Factory()
                .create(
                    new Gemma2Options(
                        Layouts.VOCABULARY, 64, 96, layout.layers(), 8, 4, 12, Layouts.TOKENS, 1e-6, 1e4, 9, 11, 0.5, 0.5, true, 0.02));
      };
    }

    private static Architecture qwen(QwenType type, Layout layout) {
      return new QwenFactory()
          .create(
              new QwenOptions(
                  type, Layouts.VOCABULARY, 64, 96, layout.layers(), 8, 4, 12, Layouts.TOKENS, 1e-6, 1e6, layout.tied(), 0.02));
    }
  }

  private record Alone(Family family, Layout layout) {}

  private static final Map<Alone, Trace> ALONE = new ConcurrentHashMap<>();

  static Stream<Arguments> matrix() {
    return Arrays.stream(Family.values()).flatMap(family -> LayoutMatrix.matrix().map(layout -> Arguments.of(family, layout)));
  }

  @ParameterizedTest
  @MethodSource
  void matrix(Family family, Layout layout) {
    Trace alone = ALONE.computeIfAbsent(new Alone(family, layout.alone()), each -> Layouts.run(each.layout(), family.model(each.layout())));
    LayoutParityTest.PARITY.check(alone, Layouts.run(layout, family.model(layout)));
  }
}
