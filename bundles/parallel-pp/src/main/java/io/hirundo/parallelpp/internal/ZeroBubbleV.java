package io.hirundo.parallelpp.internal;

import static io.hirundo.schedule.Action.Kind.BACKWARD_INPUT;
import static io.hirundo.schedule.Action.Kind.BACKWARD_WEIGHT;
import static io.hirundo.schedule.Action.Kind.FORWARD;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Zero bubble V (Qi et al. 2023, arXiv 2401.10241, and Qi et al. 2024, arXiv 2405.15362): two chunks a rank, the
 * model going down the ranks and up again, so that the first and the last stage are both on rank 0 and the first backward
 * begins where the last forward ends. Where forward, backward-input and backward-weight take equally long, one unit each,
 * rank r begins at r, waits no more, and ends at {@code 6 M + r}: no schedule can be shorter, because no rank can begin
 * earlier. Ranks hold at most 2 P activations of a chunk, the P stages' worth of {@code 1f1b}.
 *
 * <p>That needs 2 P - 1 microbatches. With fewer, the actions of those that are not there are left out; it then waits in the
 * middle, no longer than {@code zb-h1}.
 *
 * <p>Chunk 0 goes first as long as nothing comes back; then the ranks alternate between the chunks, with the rank's place
 * in the V deciding how many passes of each phase there are (the rank at the turn has chunk 1 first, rank 0 last).
 */
final class ZeroBubbleV implements PipelineSchedule {
  @Override
  public int chunks() {
    return 2;
  }

  @Override
  public int stage(PipelineShape shape, int rank, int chunk) {
    return chunk == 0 ? rank : 2 * shape.ranks() - 1 - rank;
  }

  /** Gradients go on at once: with the backward-weight before them, every rank on the way back would add its time. */
  @Override
  public boolean fusesBackward() {
    return false;
  }

  @Override
  public List<List<Action>> plan(PipelineShape shape) {
    Shapes.requireChunks("zb-v", 2, shape);
    return IntStream.range(0, shape.ranks())
        .mapToObj(rank -> rank(shape.ranks(), rank, Math.max(shape.microbatches(), 2 * shape.ranks() - 1)))
        .map(actions -> actions.stream().filter(action -> action.microbatch() < shape.microbatches()).toList())
        .toList();
  }

  private static List<Action> rank(int ranks, int rank, int microbatches) {
    var actions = new Actions(2);
    warmUp(actions, ranks, rank);
    while (actions.count(FORWARD, 1) < microbatches) {
      if (actions.count(FORWARD, 0) < microbatches) {
        actions.forward(0);
      }
      actions.backward(0);
      actions.forward(1);
      actions.backward(1);
    }
    coolDown(actions, ranks, rank, microbatches);
    return actions.list();
  }

  private static void warmUp(Actions actions, int ranks, int rank) {
    for (int pass = 0; pass < 2 * (ranks - rank) - 1; pass++) {
      actions.forward(0);
    }
    for (int pass = 0; pass < rank; pass++) {
      actions.forward(1);
      actions.forward(0);
    }
    for (int pass = 0; pass < ranks - rank; pass++) {
      actions.forward(1);
      actions.backward(1);
    }
  }

  /** Gradients first, as long as another rank waits for them; then the backward-weights that are left. */
  private static void coolDown(Actions actions, int ranks, int rank, int microbatches) {
    for (int pass = 0; pass < rank; pass++) {
      actions.backwardInput(0);
      actions.backwardInput(1);
    }
    for (int pass = 0; pass < ranks - rank; pass++) {
      actions.backward(0);
    }
    for (int chunk : new int[] {1, 0}) {
      while (actions.count(BACKWARD_WEIGHT, chunk) < microbatches) {
        actions.backwardWeight(chunk);
      }
    }
    if (actions.count(BACKWARD_INPUT, 0) != microbatches || actions.count(BACKWARD_INPUT, 1) != microbatches) {
      throw new IllegalStateException("zb-v: rank " + rank + " of " + ranks + " with " + microbatches + " microbatches");
    }
  }
}
