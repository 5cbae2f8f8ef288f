package io.hirundo.lib.engine.layout;

import io.hirundo.lib.engine.pipeline.StageSplit;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.model.parameter.Replicas;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which pipeline ranks hold which tensors. A tensor that two blocks share, a tied embedding for instance,
 * may be on two ranks; each of them then computes a partial gradient.
 */
public final class StageOwners {
    private final ProcessGroup pipeline;
    private final Map<String, SortedSet<Integer>> holders = new HashMap<>();

    public StageOwners(
            ModelSpec model, List<StageSplit.Blocks> stages, PipelineSchedule schedule, ProcessGroup pipeline) {
        this.pipeline = pipeline;
        var shape = new PipelineShape(pipeline.size(), schedule.chunks(), 1);
        for (int rank = 0; rank < shape.ranks(); rank++) {
            for (int chunk = 0; chunk < shape.chunks(); chunk++) {
                StageSplit.Blocks blocks = stages.get(schedule.stage(shape, rank, chunk));
                for (String path : ModelTensors.of(model.blocks().subList(blocks.first(), blocks.end()))
                        .keySet()) {
                    holders.computeIfAbsent(path, unknown -> new TreeSet<>()).add(rank);
                }
            }
        }
    }

    /** The parameter, with the other ranks that hold it. */
    public ParameterSpec withSharers(ParameterSpec spec) {
        return new ParameterSpec(
                spec.name(), spec.parts().stream().map(this::withSharers).toList(), spec.initialization());
    }

    private ParameterPart withSharers(ParameterPart part) {
        SortedSet<Integer> ranks = holders.get(part.path());
        if (ranks == null || ranks.size() < 2) {
            return part;
        }
        List<Integer> order = List.copyOf(ranks);
        List<Integer> inWorld =
                order.stream().map(rank -> pipeline.ranks().get(rank)).toList();
        return part.with(new Replicas(inWorld, order.indexOf(pipeline.rank()), true));
    }

    /** Whether other stages hold the part, whose gradients complete at other times. */
    public static boolean isSharedByStages(ParameterPart part, ProcessGroup pipeline) {
        return part.replicas().partialGradients()
                && pipeline.ranks().containsAll(part.replicas().ranks());
    }
}
