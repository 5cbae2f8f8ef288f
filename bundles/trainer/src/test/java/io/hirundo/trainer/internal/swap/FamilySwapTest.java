package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.trainer.internal.fixture.SmallFamily;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Swaps of the precision in runs of other models than Llama: {@link StrategySwapTest} has the cases of that. */
class FamilySwapTest {
  private static final Map<String, Object> MESH = Map.of("tensor", 2, "data", 2);

  @TempDir private Path folder;

  private SteeredRun prepared(SmallFamily family, String name) {
    return family.in(new SteeredRun(folder.resolve(name))).with("mesh", MESH);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LLAMA")
  void changesFromFp32ToBf16AndBack(SmallFamily family) {
    SteeredRun run = prepared(family, "swapped");
    var there = run.change(2, "precision=bf16");
    var back = run.change(6, "precision=fp32");
    run.run();
    assertTrue(there.join().granted(), there.join().message());
    assertTrue(back.join().granted(), back.join().message());
    List<Double> expected = prepared(family, "unchanged").run().losses;
    assertEquals(expected.subList(0, 3), run.losses.subList(0, 3));
    assertNotEquals(expected.get(4), run.losses.get(4));
    for (int step = 0; step < SteeredRun.STEPS; step++) {
      assertEquals(expected.get(step), run.losses.get(step), 0.01, "step " + (step + 1));
    }
  }
}
