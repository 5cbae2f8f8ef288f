package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One forward, one backward (Narayanan et al. 2021, arXiv 2104.04473): stage r of P begins with {@code min(P - r - 1, M)}
 * forwards, then does a forward and the oldest backward in turn, then the backwards that are left. At most {@code P - r}
 * microbatches are held at a time.
 */
final class OneForwardOneBackward implements PipelineSchedule {
  @Override
  public List<List<Action>> plan(PipelineShape shape) {
    Shapes.requireOneChunk("1f1b", shape);
    return IntStream.range(0, shape.ranks()).mapToObj(stage -> stage(shape, stage)).toList();
  }

  private static List<Action> stage(PipelineShape shape, int stage) {
    int microbatches = shape.microbatches();
    int warmup = Math.min(shape.ranks() - stage - 1, microbatches);
    var actions = new ArrayList<Action>(3 * microbatches);
    int forwards = 0;
    while (forwards < warmup) {
      actions.add(Actions.forward(forwards++));
    }
    for (int backwards = 0; backwards < microbatches; backwards++) {
      if (forwards < microbatches) {
        actions.add(Actions.forward(forwards++));
      }
      Actions.addBackward(actions, backwards);
    }
    return List.copyOf(actions);
  }
}
