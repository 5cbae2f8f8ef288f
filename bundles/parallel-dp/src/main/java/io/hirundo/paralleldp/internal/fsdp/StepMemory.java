package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.paralleldp.internal.gradients.ReduceEvery;
import io.hirundo.paralleldp.internal.weights.StepMoment;
import io.hirundo.paralleldp.internal.weights.StepMoment.Gradients;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * What units hold together in a step, with a backward that does not split (zb-h1 and zb-v hold complete gradients of more blocks).
 *
 * @param units in the order of their indices
 * @param unitsOfBlock the indices of the units of each block
 * @param readInBackward those of them whose weights the block's backward reads
 * @param keepsWeights whether gathered weights stay
 * @param isAlone whether the shard group has no other rank
 * @param hasReplicas whether slices are summed over other shard groups
 * @param microbatches of the step
 */
record StepMemory(
        List<Unit> units,
        List<List<Integer>> unitsOfBlock,
        List<List<Integer>> readInBackward,
        FsdpOptions options,
        boolean keepsWeights,
        boolean isAlone,
        boolean hasReplicas,
        long microbatches) {
    List<StepMoment> moments() {
        var moments = new ArrayList<StepMoment>();
        for (int block = 0; block < unitsOfBlock.size(); block++) {
            for (Action.Kind kind : List.of(Action.Kind.FORWARD, Action.Kind.BACKWARD_INPUT)) {
                List<Integer> needed = read(block, kind);
                List<Integer> next = prefetched(block, kind);
                List<Integer> together =
                        Stream.concat(needed.stream(), next.stream()).distinct().toList();
                Gradients gradients = kind == Action.Kind.FORWARD ? inForward(block) : inBackward(block);
                // Of weights that stay, only the first forward gathers.
                boolean hasGathers = !keepsWeights || kind == Action.Kind.FORWARD;
                Gradients ofGathers = keepsWeights ? ofLossHead(block) : gradients;
                if (hasGathers) {
                    moments.add(new StepMoment(needed, needed, ofGathers));
                    moments.add(new StepMoment(together, next, ofGathers));
                }
                moments.add(new StepMoment(List.of(), List.of(), gradients));
            }
        }
        return moments;
    }

    /** The units whose weights a block reads. */
    List<Integer> read(int block, Action.Kind kind) {
        return (kind == Action.Kind.FORWARD ? unitsOfBlock : readInBackward).get(block);
    }

    /**
     * The units whose weights are fetched while a block works, for the block that is likely to follow. None on a single rank: it sends nothing, and a
     * copy made earlier only takes memory longer.
     */
    List<Integer> prefetched(int block, Action.Kind kind) {
        int next = kind == Action.Kind.FORWARD ? block + 1 : block - 1;
        boolean exists = next >= 0 && next < unitsOfBlock.size();
        return options.overlap() && !isAlone && exists ? read(next, kind) : List.of();
    }

    /** Whether complete gradients stay until the last microbatch. */
    private boolean accumulates() {
        return !isAlone && options.reduceEvery() == ReduceEvery.STEP && microbatches > 1;
    }

    private boolean isLast(int block) {
        return block == unitsOfBlock.size() - 1;
    }

    private Gradients of(List<Integer> some, ToLongFunction<UnitGradients> bytes) {
        return Gradients.of(some.stream()
                .map(index -> bytes.applyAsLong(units.get(index).gradients()))
                .toList());
    }

    private Gradients largestOf(List<Integer> some, ToLongFunction<UnitGradients> bytes) {
        return Gradients.of(
                some.stream().map(index -> bytes.applyAsLong(units.get(index).gradients())).max(Long::compare).stream()
                        .toList());
    }

    private List<Integer> all() {
        return unitsOfBlock.stream().flatMap(List::stream).distinct().toList();
    }

    /** What the backward of a microbatch leaves to the next one. */
    private Gradients accumulated() {
        if (isAlone) {
            return of(all(), UnitGradients::absentSliceBytes);
        }
        return accumulates() ? of(all(), UnitGradients::completeBytes) : sentBefore(0);
    }

    /** What is still sent when the block before a block in the backward begins. */
    private Gradients sentBefore(int block) {
        return options.overlap()
                ? largestOf(unitsOfBlock.get(block), gradients -> gradients.sentBytes(options.reduceInBf16()))
                : Gradients.NONE;
    }

    private Gradients inForward(int block) {
        Gradients before = microbatches > 1 ? accumulated() : Gradients.NONE;
        return accumulates() || isAlone && microbatches > 1 ? before : before.and(ofLossHead(block));
    }

    /** The last block finds gradients in the forward, together with the loss. */
    private Gradients ofLossHead(int block) {
        if (!isLast(block)) {
            return Gradients.NONE;
        }
        return of(unitsOfBlock.get(block), isAlone ? UnitGradients::absentSliceBytes : UnitGradients::completeBytes);
    }

    private Gradients inBackward(int block) {
        Gradients whole;
        if (isAlone || accumulates()) {
            whole = accumulated();
        } else {
            Gradients sent = !isLast(block) ? sentBefore(block + 1) : microbatches > 1 ? sentBefore(0) : Gradients.NONE;
            whole = of(open(block), UnitGradients::completeBytes).and(sent);
        }
        return options.reduceInBf16() ? whole.and(ofRounding(block)) : whole;
    }

    /** The units that have complete gradients while a block works: its own, and those that are reduced after a block before it. */
    private List<Integer> open(int block) {
        List<Integer> own = unitsOfBlock.get(block);
        if (options.reduceEvery() == ReduceEvery.MICROBATCH) {
            return own;
        }
        List<Integer> before =
                unitsOfBlock.subList(0, block).stream().flatMap(List::stream).toList();
        Stream<Integer> shared = unitsOfBlock.subList(block + 1, unitsOfBlock.size()).stream()
                .flatMap(List::stream)
                .filter(before::contains);
        return Stream.concat(own.stream(), shared).distinct().toList();
    }

    private Gradients ofRounding(int block) {
        Gradients copy = isAlone
                ? Gradients.NONE
                : largestOf(
                        unitsOfBlock.get(block),
                        gradients -> gradients.needsRounding() ? gradients.sentBytes(true) : 0);
        return hasReplicas
                ? copy.and(largestOf(all(), gradients -> gradients.sliceElements() * DType.BF16.byteSize()))
                : copy;
    }
}
