package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.model.Architecture;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelgemma2.internal.Gemma2Factory;
import io.hirundo.modelgemma2.internal.Gemma2Options;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Gemma 2 on layouts that together cover each pair of axes, schedules and ways. The window is longer than a piece of context parallelism,
 * and shorter than a sequence. Caps are so low that they change scores and logits of a small model.
 */
class Gemma2ParityTest {
  private static final Architecture MODEL =
      new Gemma2Factory()
          .create(new Gemma2Options(Layouts.VOCABULARY, 64, 96, 4, 8, 4, 12, Layouts.TOKENS, 1e-6, 1e4, 9, 11, 0.5, 0.5, true, 0.02));

  private static final Layouts.Trace ALONE = Layouts.run(Layout.alone(true), MODEL);

  @ParameterizedTest
  @CsvSource({
    "2, 1, 1, 1, 1f1b, ring, zero1, false, NONE",
    "8, 1, 1, 1, 1f1b, ring, zero1, true, SELECTIVE",
    "1, 2, 1, 2, 1f1b, ring, zero2, true, FULL",
    "2, 2, 2, 2, 1f1b, all-gather, fsdp, true, FULL",
    "1, 1, 2, 2, zb-h1, ring, zero2, true, SELECTIVE",
    "1, 1, 2, 1, zb-v, ring, zero1, true, NONE"
  })
  void everyLayoutHasTheLossesOfOneRank(
      int tensor, int context, int pipeline, int data, String schedule, String attention, String shards, boolean sequenceParallel,
      Recompute recompute) {
    var ways = new Ways(schedule, attention, shards, sequenceParallel, true);
    var layout = new Layout(new Extents(tensor, context, pipeline, data), ways, recompute, 2, true);

    LayoutParityTest.PARITY.check(ALONE, Layouts.run(layout, MODEL));
  }

  @Test
  void overlapChangesNoBit() {
    var layout = new Layout(new Extents(2, 2, 1, 2), new Ways("1f1b", "ring", "fsdp", true, true), Recompute.NONE, 2, true);

    assertEquals(Layouts.run(layout.withoutOverlap(), MODEL).losses(), Layouts.run(layout, MODEL).losses());
  }
}
