package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All forwards, then all backwards in the same order (Huang et al. 2018, arXiv 1811.06965). Every stage holds all
 * microbatches at the turn; backwards in the order of the forwards keep gradient sums in the order of {@code 1f1b}.
 */
final class GPipe implements PipelineSchedule {
  @Override
  public List<List<Action>> plan(PipelineShape shape) {
    Shapes.requireOneChunk("gpipe", shape);
    var actions = new ArrayList<Action>(3 * shape.microbatches());
    for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
      actions.add(Actions.forward(microbatch));
    }
    for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
      Actions.addBackward(actions, microbatch);
    }
    return Collections.nCopies(shape.ranks(), List.copyOf(actions));
  }
}
