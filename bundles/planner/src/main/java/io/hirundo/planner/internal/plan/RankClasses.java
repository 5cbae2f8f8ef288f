package io.hirundo.planner.internal.plan;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.fabric.FakeFabric;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the ranks of a mesh that a dry run does not have to count one by one. Ranks are alike where the training code gives them the same
 * parameters and the same shards of them, and where the context parallelism says that they do the same work: it is asked for all three. One
 * thing is assumed: tensor ranks with parameters of equal shapes compute the same.
 */
final class RankClasses {
    /**
     * What decides the allocations and kernels of a rank, except for its shard.
     *
     * @param pipeline coordinate: every pipeline rank has other layers, or another number of microbatches in flight
     * @param context {@link ContextParallel#workKind}; 0 where sequences are not sharded
     * @param parameters of the rank
     */
    record Kind(int pipeline, int context, List<Shape> parameters) {}

    /**
     * What a rank owns of its parameters.
     *
     * @param runElements elements of each run
     * @param bytes memory of weights, gradients and optimizer state, by category
     */
    record Shard(List<Long> runElements, Map<MemoryCategory, Long> bytes) {}

    /**
     * Ranks of equal classes have equal memory, collectives, GEMMs and attention. Elementwise work differs a little: only the first tensor rank
     * adds losses, only the first replica adds the squares of a gradient, and context ranks fill and add other chunks.
     */
    record RankClass(Kind kind, Shard shard) {}

    /** The parameters of a rank's blocks, and the dtypes in which layers read them. */
    private record Declared(List<List<ParameterSpec>> blocks, Map<String, DType> types) {}

    private record ShardPlace(List<Shape> parameters, int rank) {}

    private final RunConfiguration configuration;
    private final Strategies strategies;
    private final ComputeBackend backend;
    private final DryRun.Watch watch;
    private final Mesh mesh;

    RankClasses(RunConfiguration configuration, Strategies strategies, ComputeBackend backend, DryRun.Watch watch) {
        this.configuration = configuration;
        this.strategies = strategies;
        this.backend = backend;
        this.watch = watch;
        this.mesh = configuration.mesh().mesh();
    }

    /** The class of every rank. */
    List<RankClass> ofRanks() {
        Map<List<Integer>, Declared> specs = new HashMap<>();
        Map<ShardPlace, Shard> shards = new HashMap<>();
        Map<RankClass, RankClass> known = new HashMap<>();
        Map<List<Integer>, List<Shape>> shapes = new HashMap<>();
        var classes = new ArrayList<RankClass>(mesh.ranks());
        for (int number = 0; number < mesh.ranks(); number++) {
            int rank = number;
            List<Integer> place = List.of(coordinate(rank, Axis.PIPELINE), coordinate(rank, Axis.TENSOR));
            Declared declared = specs.computeIfAbsent(place, unseen -> parameters(rank));
            var parameters = shapes.computeIfAbsent(
                    place,
                    unseen -> declared.blocks().stream()
                            .flatMap(List::stream)
                            .map(ParameterSpec::shape)
                            .toList());
            var shardPlace = new ShardPlace(
                    parameters, coordinate(rank, Axis.CONTEXT) + mesh.size(Axis.CONTEXT) * coordinate(rank, Axis.DATA));
            Shard shard = shards.get(shardPlace);
            if (shard == null) {
                shard = shard(rank, declared);
                shards.put(shardPlace, shard);
            }
            var found = new RankClass(new Kind(place.getFirst(), context(rank), parameters), shard);
            classes.add(known.computeIfAbsent(found, each -> each));
        }
        return classes;
    }

    private Declared parameters(int number) {
        try (Rank rank = join(number, new AccountedLedger(Long.MAX_VALUE));
                RankModel model = RankDryRun.open(rank, configuration, strategies)) {
            return new Declared(model.parameterSpecs(), model.blocks().layers().weightTypes());
        }
    }

    private Shard shard(int number, Declared declared) {
        var ledger = new AccountedLedger(Long.MAX_VALUE);
        try (Rank rank = join(number, ledger);
                var sharded = strategies
                        .parallel()
                        .data()
                        .bind(
                                rank.device(),
                                ShardGroups.of(
                                        rank.world(), strategies.parallel().data()),
                                declared.blocks(),
                                strategies.compute().precision().parameterType(),
                                strategies.step().optimizer()::ownership)) {
            sharded.hold(declared.types());
            sharded.allocateGradients();
            try (var _ = strategies.step().optimizer().bind(rank.device(), sharded.owned())) {
                return new Shard(
                        sharded.owned().stream().map(RankClasses::elements).toList(), ledger.liveBytes());
            }
        }
    }

    private Rank join(int number, AccountedLedger ledger) {
        watch.check();
        Rank rank = Rank.open(backend, 0, ledger);
        rank.join(new FakeFabric(), number, mesh);
        return rank;
    }

    private int coordinate(int rank, Axis axis) {
        return mesh.coordinate(rank, axis);
    }

    private int context(int rank) {
        int ranks = mesh.size(Axis.CONTEXT);
        return ranks == 1 ? 0 : strategies.parallel().context().workKind(coordinate(rank, Axis.CONTEXT), ranks);
    }

    private static long elements(Parameter run) {
        return run.value().elements();
    }
}
