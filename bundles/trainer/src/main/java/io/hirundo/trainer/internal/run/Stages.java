package io.hirundo.trainer.internal.run;

import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.ModelSpec;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.trainer.internal.pipeline.StageSplit;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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

  /** Who has which blocks, by rank of the pipeline axis. */
  static List<Stage> describe(ModelSpec spec, List<StageSplit.Blocks> stages, PipelineSchedule schedule, Mesh mesh) {
    var shape = new PipelineShape(mesh.size(Axis.PIPELINE), schedule.chunks(), 1);
    return IntStream.range(0, shape.ranks())
        .mapToObj(
            place -> {
              List<Integer> ranks =
                  IntStream.range(0, mesh.ranks()).filter(rank -> mesh.coordinate(rank, Axis.PIPELINE) == place).boxed().toList();
              String blocks =
                  IntStream.range(0, shape.chunks())
                      .mapToObj(chunk -> describe(spec, stages.get(schedule.stage(shape, place, chunk))))
                      .collect(Collectors.joining(" and "));
              return new Stage(RankNumbers.of(ranks), blocks);
            })
        .toList();
  }

  private static String describe(ModelSpec spec, StageSplit.Blocks stage) {
    return spec.blocks().get(stage.first()).name() + " to " + spec.blocks().get(stage.end() - 1).name();
  }
}
