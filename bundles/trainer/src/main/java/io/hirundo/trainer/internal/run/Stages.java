package io.hirundo.trainer.internal.run;

import io.hirundo.model.ModelSpec;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.trainer.internal.pipeline.StageSplit;
import java.util.List;

/** Which blocks of the model are which stage's; known before anything is opened. */
final class Stages {
  private Stages() {}

  /**
   * The stages in the order of the model.
   *
   * @param layers {@code mesh.stageLayers}
   * @param ranks of the pipeline axis
   */
  static List<StageSplit.Blocks> of(ModelSpec spec, List<Integer> layers, PipelineSchedule schedule, int ranks) {
    int stages = ranks * schedule.chunks();
    return layers.isEmpty()
        ? StageSplit.balanced(FlopCount.ofBlocks(spec), stages)
        : StageSplit.given(layers, spec.blocks().size(), stages);
  }
}
