package io.hirundo.trainer.internal.parity;

import io.hirundo.model.Recompute;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizerlion.internal.LionFactory;
import io.hirundo.optimizerlion.internal.LionOptions;
import io.hirundo.optimizermuon.internal.MuonFactory;
import io.hirundo.optimizermuon.internal.MuonOptions;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.strategy.Strategies;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link PlanParityTest}: the scratch memory of other optimizers, and state that differs between parameters. */
class OptimizerPlanTest {
  @ParameterizedTest
  @ValueSource(strings = {"lion", "muon"})
  void plannedBytesEqualUsedBytes(String name) {
    Optimizer optimizer =
        name.equals("lion") ? new LionFactory().create(new LionOptions()) : new MuonFactory().create(new MuonOptions());
    var ways = new Layouts.Ways("1f1b", "ring", "zero1", true, true);
    var split = new Layout(new Layouts.Extents(1, 1, 2, 2), ways, Recompute.NONE, 2, false);
    PlanParityTest.assertPlanned(
        Layouts.configuration(split),
        backend -> {
          Strategies of = Layouts.strategies(split, Layouts.FP32, backend, request -> new Layouts.Text());
          var step = new Strategies.Step(optimizer, of.step().learningRate());
          return new Strategies(of.compute(), of.parallel(), of.model(), step, of.data(), of.outcome());
        },
        Set.of());
  }
}
