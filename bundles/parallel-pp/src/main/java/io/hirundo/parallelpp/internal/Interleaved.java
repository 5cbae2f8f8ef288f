package io.hirundo.parallelpp.internal;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Interleaved 1F1B (Narayanan et al. 2021, arXiv 2104.04473), with the warm-up and the groups of Megatron-LM. Each rank has V
 * chunks (virtual stages); chunk c of rank r is stage {@code c P + r}. Microbatches run in groups of G: a full group through one
 * chunk, then through the next. Backwards run in the same order, starting with the last chunk. The warm-up of rank r has
 * {@code min(2 (P - r - 1) + (V - 1) G, M V)} forwards; the steady state alternates forward and backward. The bubble is 1/V of that
 * of {@code 1f1b}, for V times its transfers and more activations.
 *
 * <p>Needs {@code P <= G <= M} and a last group of at least P: with fewer, the next chunk's input arrives too late for its turn.
 *
 * @param chunks V, 2 or more
 * @param group G; 0 for the number of ranks
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
        return IntStream.range(0, shape.ranks())
                .mapToObj(rank -> rank(passes, shape.ranks(), rank, size))
                .toList();
    }

    private static void check(PipelineShape shape, int size) {
        int ranks = shape.ranks();
        int microbatches = shape.microbatches();
        if (size < ranks) {
            throw new ConfigurationException("schedule interleaved: group: " + size
                    + " is wrong (allowed: 0, or at least the " + ranks + " ranks of the pipeline)");
        }
        if (microbatches < size) {
            throw new ConfigurationException(
                    "schedule interleaved: " + microbatches + " microbatches are too few for a group of " + size
                            + "; use at least " + size + (size > ranks ? ", or a smaller group" : ", or fewer ranks"));
        }
        int rest = microbatches % size;
        if (rest != 0 && rest < ranks) {
            int below = microbatches - rest;
            throw new ConfigurationException("schedule interleaved: of " + microbatches + " microbatches in groups of "
                    + size + ", the last group has " + rest + ", but needs at least one for each of the " + ranks
                    + " ranks; use " + below + " or " + (below + ranks) + " microbatches");
        }
    }

    /** In forward order. */
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
