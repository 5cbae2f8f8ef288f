package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;

/**
 * One forward, one backward (Narayanan et al. 2021, arXiv 2104.04473): rank r of P begins with {@code min(P - r - 1, M)}
 * forwards, then does a forward and the oldest backward in turn, then the backwards that are left. At most {@code P - r}
 * microbatches are held at a time.
 */
final class OneForwardOneBackward implements PipelineSchedule {
  @Override
  public List<List<Action>> plan(PipelineShape shape) {
    Shapes.requireChunks("1f1b", 1, shape);
    return IntStream.range(0, shape.ranks())
        .mapToObj(rank -> inOrder(shape, rank, (actions, microbatch) -> actions.backward(0)).list())
        .toList();
  }

  /** The actions of a rank; {@code backward} adds that of a microbatch. */
  static Actions inOrder(PipelineShape shape, int rank, ObjIntConsumer<Actions> backward) {
    int warmup = Math.min(shape.ranks() - rank - 1, shape.microbatches());
    var actions = new Actions(1);
    for (int microbatch = 0; microbatch < warmup; microbatch++) {
      actions.forward(0);
    }
    for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
      if (microbatch + warmup < shape.microbatches()) {
        actions.forward(0);
      }
      backward.accept(actions, microbatch);
    }
    return actions;
  }
}
