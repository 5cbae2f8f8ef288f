package io.hirundo.lib.engine.layout;

import io.hirundo.ConfigurationException;
import io.hirundo.event.TrainingEvent.Stage;
import io.hirundo.lib.engine.pipeline.StageBalance;
import io.hirundo.lib.engine.pipeline.StageSplit;
import io.hirundo.lib.engine.rank.RankNumbers;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.ModelSpec;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Assigns blocks to pipeline stages, from the configuration alone. */
public final class Stages {
    private Stages() {}

    /**
     * The stages in the order of the model.
     *
     * @param ranks of the pipeline axis
     */
    public static List<StageSplit.Blocks> of(
            ModelSpec spec, StageRequest request, PipelineSchedule schedule, int ranks) {
        long all = (long) ranks * schedule.chunks();
        int blocks = spec.blocks().size();
        if (all > blocks) {
            throw new ConfigurationException("mesh.pipeline: " + all + " stages exceed the model's " + blocks
                    + " blocks (embedding, layers, head); allowed: up to " + blocks);
        }
        int stages = (int) all;
        return request.layers().isEmpty()
                ? new StageBalance.Pipeline(stages, schedule.chunks(), request.microbatches())
                        .split(BlockCosts.of(spec, request), request.margin())
                : StageSplit.given(request.layers(), blocks, stages);
    }

    /** A warning about stages with only the embedding or the head, which idle for most of a step; empty where there are none. */
    public static Optional<String> withoutLayers(ModelSpec spec, List<StageSplit.Blocks> stages) {
        int head = spec.blocks().size() - 1;
        List<Integer> empty = IntStream.range(0, stages.size())
                .filter(stage -> Math.max(1, stages.get(stage).first())
                        >= Math.min(head, stages.get(stage).end()))
                .boxed()
                .toList();
        return empty.isEmpty()
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "mesh.pipeline: %s no transformer layer, only the embedding or the head: %d layers on %d stages; lower mesh.pipeline,"
                                + " or set mesh.stageLayers",
                        (empty.size() == 1 ? "stage " : "stages ")
                                + RankNumbers.of(empty)
                                + (empty.size() == 1 ? " has" : " have"),
                        head - 1,
                        stages.size()));
    }

    /** The blocks of each rank of the pipeline axis. */
    public static List<Stage> describe(
            ModelSpec spec, List<StageSplit.Blocks> stages, PipelineSchedule schedule, Mesh mesh) {
        var shape = new PipelineShape(mesh.size(Axis.PIPELINE), schedule.chunks(), 1);
        return IntStream.range(0, shape.ranks())
                .mapToObj(place -> {
                    List<Integer> ranks = IntStream.range(0, mesh.ranks())
                            .filter(rank -> mesh.coordinate(rank, Axis.PIPELINE) == place)
                            .boxed()
                            .toList();
                    String blocks = IntStream.range(0, shape.chunks())
                            .mapToObj(chunk -> describe(spec, stages.get(schedule.stage(shape, place, chunk))))
                            .collect(Collectors.joining(" and "));
                    return new Stage(RankNumbers.of(ranks), blocks);
                })
                .toList();
    }

    private static String describe(ModelSpec spec, StageSplit.Blocks stage) {
        return spec.blocks().get(stage.first()).name() + " to "
                + spec.blocks().get(stage.end() - 1).name();
    }
}
