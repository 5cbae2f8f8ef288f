package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.model.Architecture;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelqwen.internal.QwenFactory;
import io.hirundo.modelqwen.internal.QwenOptions;
import io.hirundo.modelqwen.internal.QwenType;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Qwen 2 and 3 on layouts that together cover each pair of axes, schedules and ways. Eight tensor ranks share four key/value heads, with
 * their biases and norms.
 */
class QwenParityTest {
  private static final Map<QwenType, Layouts.Trace> ALONE = new EnumMap<>(QwenType.class);

  private static Architecture model(QwenType type) {
    boolean tied = type == QwenType.QWEN2;
    return new QwenFactory()
        .create(new QwenOptions(type, Layouts.VOCABULARY, 64, 96, 4, 8, 4, 12, Layouts.TOKENS, 1e-6, 1e6, tied, 0.02));
  }

  private static synchronized Layouts.Trace alone(QwenType type) {
    return ALONE.computeIfAbsent(type, each -> Layouts.run(Layout.alone(each == QwenType.QWEN2), model(each)));
  }

  @ParameterizedTest
  @CsvSource({
    "QWEN3, 2, 1, 1, 1, 1f1b, ring, zero1, false, NONE",
    "QWEN3, 8, 1, 1, 1, 1f1b, ring, zero1, true, SELECTIVE",
    "QWEN3, 2, 2, 2, 2, 1f1b, all-gather, fsdp, true, FULL",
    "QWEN3, 1, 1, 2, 2, zb-h1, ring, zero2, true, SELECTIVE",
    "QWEN2, 2, 1, 1, 1, 1f1b, ring, zero1, false, SELECTIVE",
    "QWEN2, 8, 1, 1, 1, 1f1b, ring, zero1, true, NONE",
    "QWEN2, 2, 2, 2, 2, 1f1b, ring, zero1, true, FULL",
    "QWEN2, 1, 1, 2, 2, zb-v, ring, fsdp, true, NONE"
  })
  void everyLayoutHasTheLossesOfOneRank(
      QwenType type, int tensor, int context, int pipeline, int data, String schedule, String attention, String shards,
      boolean sequenceParallel, Recompute recompute) {
    var ways = new Ways(schedule, attention, shards, sequenceParallel, true);
    var layout = new Layout(new Extents(tensor, context, pipeline, data), ways, recompute, 2, type == QwenType.QWEN2);

    LayoutParityTest.PARITY.check(alone(type), Layouts.run(layout, model(type)));
  }

  @ParameterizedTest
  @EnumSource
  void overlapChangesNoBit(QwenType type) {
    var layout =
        new Layout(new Extents(2, 2, 1, 2), new Ways("1f1b", "ring", "fsdp", true, true), Recompute.NONE, 2, type == QwenType.QWEN2);

    assertEquals(Layouts.run(layout.withoutOverlap(), model(type)).losses(), Layouts.run(layout, model(type)).losses());
  }
}
