package io.hirundo.parallelpp.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Interleaved one forward, one backward (Narayanan et al. 2021, arXiv 2104.04473), with the warm-up and the groups of
 * Megatron-LM: each rank has V chunks, chunk c of rank r being stage {@code c P + r}. Microbatches go in groups of G, a whole
 * group through one chunk, then through the next; backwards go in the same order through the chunks from the last. Rank r
 * begins with {@code min(2 (P - r - 1) + (V - 1) G, M V)} forwards, then does a forward and a backward in turn. The bubble is
 * a V-th of that of {@code 1f1b}, for V times its messages and more activations.
 *
 * <p>Needs {@code P <= G <= M}, and a last group of at least P: with fewer, the next chunk's input is not back when its turn
 * comes.
 *
 * @param chunks V, 2 or more
 * @param group G; 0 for as many as ranks
 */
record Interleaved(int chunks, int group) implements PipelineSchedule {
  /** One chunk's pass of one microbatch. */
  private record Pass(int microbatch, int chunk) {}

  @Override
  public List<List<Action>> plan(PipelineShape shape) {
    Shapes.requireChunks("interleaved", chunks, shape);
    int size = group == 0 ? shape.ranks() : group;
    check(shape, size);
    List<Pass> passes = passes(shape.microbatches(), size);
    return IntStream.range(0, shape.ranks()).mapToObj(rank -> rank(passes, shape.ranks(), rank, size)).toList();
  }

  private static void check(PipelineShape shape, int size) {
    int ranks = shape.ranks();
    int microbatches = shape.microbatches();
    if (size < ranks) {
      throw new ConfigurationException(
          "schedule interleaved: group is " + size + ", but must be at least the " + ranks + " ranks of the pipeline, or 0 for as many");
    }
    if (microbatches < size) {
      throw new ConfigurationException(
          "schedule interleaved: " + microbatches + " microbatches are too few for a group of " + size + ": there must be at least "
              + size + (size > ranks ? ", or a smaller group" : ", or fewer ranks"));
    }
    int rest = microbatches % size;
    if (rest != 0 && rest < ranks) {
      int below = microbatches - rest;
      throw new ConfigurationException(
          "schedule interleaved: of " + microbatches + " microbatches in groups of " + size + " the last group has " + rest
              + ", but needs as many as the " + ranks + " ranks: " + below + " or " + (below + ranks) + " would do");
    }
  }

  /** In the order of the forwards. */
  private List<Pass> passes(int microbatches, int size) {
    var passes = new ArrayList<Pass>(microbatches * chunks);
    for (int first = 0; first < microbatches; first += size) {
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int microbatch = first; microbatch < Math.min(first + size, microbatches); microbatch++) {
          passes.add(new Pass(microbatch, chunk));
        }
      }
    }
    return passes;
  }

  private List<Action> rank(List<Pass> passes, int ranks, int rank, int size) {
    int warmup = Math.min(2 * (ranks - rank - 1) + (chunks - 1) * size, passes.size());
    var actions = new Actions(chunks);
    for (int index = 0; index < warmup; index++) {
      forward(actions, passes.get(index));
    }
    for (int index = 0; index < passes.size(); index++) {
      if (index + warmup < passes.size()) {
        forward(actions, passes.get(index + warmup));
      }
      Pass pass = passes.get(index);
      actions.backward(pass.microbatch, chunks - 1 - pass.chunk);
    }
    return actions.list();
  }

  private static void forward(Actions actions, Pass pass) {
    actions.add(Action.Kind.FORWARD, pass.microbatch, pass.chunk);
  }
}
