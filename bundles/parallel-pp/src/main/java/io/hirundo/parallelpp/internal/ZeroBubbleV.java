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
 * Zero bubble V (Qi et al. 2023, arXiv 2401.10241, and Qi et al. 2024, arXiv 2405.15362): two chunks per rank. The model's layers go
 * down the ranks and up again, so the first and the last stage are both on rank 0, and the first backward starts where the last
 * forward ends. If forward, backward-input and backward-weight each take one unit, rank r starts at r, never idles after that, and
 * ends at {@code 6 M + r}. No schedule is shorter, because no rank can start earlier. Ranks hold at most 2 P activations of a
 * chunk, as much as the P stages of {@code 1f1b}.
 *
 * <p>That needs 2 P - 1 microbatches. With fewer, the missing microbatches' actions are left out; ranks then idle in the middle, no
 * longer than with {@code zb-h1}.
 *
 * <p>Chunk 0 runs first until backwards arrive; then the ranks alternate between the chunks. A rank's position in the V decides
 * the number of passes per phase (the last rank starts chunk 1 first, rank 0 last).
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

    /** Sends gradients at once: a backward-weight before them would delay every later rank. */
    @Override
    public boolean fusesBackward() {
        return false;
    }

    @Override
    public List<List<Action>> plan(PipelineShape shape) {
        Shapes.requireChunks("zb-v", 2, shape);
        return IntStream.range(0, shape.ranks())
                .mapToObj(rank -> rank(shape.ranks(), rank, Math.max(shape.microbatches(), 2 * shape.ranks() - 1)))
                .map(actions -> actions.stream()
                        .filter(action -> action.microbatch() < shape.microbatches())
                        .toList())
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

    /** Backward-inputs first while another rank waits for their gradients; then the remaining backward-weights. */
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
            throw new IllegalStateException(
                    "zb-v: rank " + rank + " of " + ranks + " with " + microbatches + " microbatches");
        }
    }
}
