package io.hirundo.lib.engine.model;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.precision.StepMemory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * State that the GEMMs of a rank's layers keep between steps, amax histories for instance. Ranks with the same layers reduce it once
 * a step, in one collective.
 */
public final class RankGemmState {
    /** Prefix of a checkpoint key; the state's name and the name of the layer's weight follow. */
    private static final String KEY_PREFIX = "precision/";

    private final Rank rank;
    private final SequencedMap<String, StepMemory> byWeight;

    /** {@code byWeight}: by the name of the layer's weight. */
    RankGemmState(Rank rank, SequencedMap<String, StepMemory> byWeight) {
        this.rank = rank;
        this.byWeight = byWeight;
    }

    /** Whether a checkpoint key names GEMM state. */
    public static boolean isKey(String key) {
        return key.startsWith(KEY_PREFIX);
    }

    /** The GEMM state among a checkpoint's keys. */
    public static SortedSet<String> namesIn(Collection<String> keys) {
        return keys.stream()
                .filter(RankGemmState::isKey)
                .map(key -> key.substring(KEY_PREFIX.length()).split("/", 2)[0])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Reduces the state after the last microbatch of a step. Collective. */
    public void endStep() {
        ProcessGroup sharers = sharers();
        if (sharers.size() > 1 && !byWeight.isEmpty()) {
            agree(sharers);
        }
        byWeight.values().forEach(memory -> memory.endStep(queue()));
    }

    private void agree(ProcessGroup sharers) {
        long elements = byWeight.values().stream()
                .mapToLong(memory -> memory.present().elements())
                .sum();
        try (Tensor all = rank.device().allocate(MemoryCategory.COMMUNICATION, Shape.of(elements), DType.FP32)) {
            long first = 0;
            for (StepMemory memory : byWeight.values()) {
                elementwise()
                        .copy(
                                queue(),
                                memory.present(),
                                all.rows(first, memory.present().elements()));
                first += memory.present().elements();
            }
            queue().await(sharers.allReduce(queue(), all, Reduction.MAX).event());
            first = 0;
            for (StepMemory memory : byWeight.values()) {
                elementwise().copy(queue(), all.rows(first, memory.present().elements()), memory.present());
                first += memory.present().elements();
            }
            queue().drain();
        }
    }

    /** Ranks that hold shards of the same layers. */
    private ProcessGroup sharers() {
        return rank.along(Axis.TENSOR, Axis.CONTEXT, Axis.DATA);
    }

    /** Shards for save and load; call {@link #restored} after a load. */
    public List<StateShard> shards() {
        return byWeight.entrySet().stream()
                .map(entry -> shard(entry.getKey(), entry.getValue()))
                .toList();
    }

    private StateShard shard(String weight, StepMemory memory) {
        Tensor state = memory.state(queue());
        var offset = Collections.nCopies(state.shape().rank(), 0L);
        return new StateShard(
                key(weight, memory), state.shape(), offset, state, sharers().rank());
    }

    private static String key(String weight, StepMemory memory) {
        return KEY_PREFIX + memory.name() + "/" + weight;
    }

    /** Takes effect of a load of {@link #shards}; state with these keys was not loaded and is reset. */
    public void restored(Collection<String> notLoaded) {
        byWeight.forEach((weight, memory) -> {
            if (!notLoaded.contains(key(weight, memory))) {
                memory.restored(queue());
            }
        });
    }

    /** Copies the state of the same layers from other blocks of the same precision, as {@link #shards} returned it. */
    public void takeOver(List<StateShard> others) {
        var states = new HashMap<String, Tensor>();
        others.forEach(shard -> states.put(shard.key(), shard.local()));
        byWeight.forEach((weight, memory) -> {
            Tensor state = states.get(key(weight, memory));
            if (state != null) {
                elementwise().copy(queue(), state, memory.state(queue()));
                memory.restored(queue());
            }
        });
    }

    private ElementwiseKernels elementwise() {
        return rank.device().kernels().elementwise();
    }

    private Queue queue() {
        return rank.queue();
    }
}
