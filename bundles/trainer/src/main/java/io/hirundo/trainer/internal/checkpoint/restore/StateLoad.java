package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.lib.engine.conversion.ConvertedForms;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Loads the tensors of a checkpoint on all ranks. What it has in another form is loaded into memory that is free until the first step allocates
 * gradients: first all weights in another dtype, then optimizer state in parts.
 *
 * @param sessions the open session of each rank
 * @param restartsOptimizer whether all optimizer state begins at zero
 */
record StateLoad(
        LocalRun run,
        Function<RankRun, CheckpointSession> sessions,
        CheckpointInfo checkpoint,
        TensorComparison compared,
        boolean restartsOptimizer) {
    /**
     * Returns the problem of the checkpoint on any rank; empty if all tensors are loaded. Collective.
     *
     * @param savedType of the weights in the checkpoint
     */
    String load(DType savedType) {
        // Their memory serves the parts; the next step takes it again.
        run.forEachRank(rank -> rank.model().sharded().releaseGradients());
        Map<RankRun, List<ConvertedForms>> parts = parts();
        String problem = load(rank -> StagedForms.weights(rank, savedType, wanted(rank, parts.get(rank))));
        int most = most(parts);
        for (int index = 0; index < most && problem.isEmpty(); index++) {
            int number = index;
            problem = load(rank -> StagedForms.state(
                    rank, number < parts.get(rank).size() ? parts.get(rank).get(number) : ConvertedForms.NONE));
        }
        return problem;
    }

    /** Optimizer state of each rank that the checkpoint has in another form, in parts that take no more memory than gradients. */
    private Map<RankRun, List<ConvertedForms>> parts() {
        Optimizer optimizer = run.strategies().step().optimizer();
        var parts = new ConcurrentHashMap<RankRun, List<ConvertedForms>>();
        run.forEachRank(rank -> {
            ConvertedForms forms = restartsOptimizer
                    ? ConvertedForms.NONE
                    : rank.state().convertedForms(optimizer, compared.keys()).without(compared.missing());
            parts.put(rank, forms.parts(rank.state().ownedGradientBytes()));
        });
        return parts;
    }

    /** Of any rank: all ranks must load as often. */
    private int most(Map<RankRun, List<ConvertedForms>> parts) {
        int own = parts.values().stream().mapToInt(List::size).max().orElse(0);
        return run.exchange(String.valueOf(own)).stream()
                .mapToInt(Integer::parseInt)
                .max()
                .orElse(0);
    }

    /** A rank without room for the checkpoint's form must fail before any rank loads, because loading may be collective. */
    private String load(Function<RankRun, StagedForms> allocation) {
        var staged = new ConcurrentHashMap<RankRun, StagedForms>();
        try {
            String problem = RankAttempts.problem(run, rank -> staged.put(rank, allocation.apply(rank)));
            return problem.isEmpty() ? RankAttempts.problem(run, rank -> load(rank, staged.remove(rank))) : problem;
        } finally {
            staged.values().forEach(StagedForms::close);
        }
    }

    private void load(RankRun rank, StagedForms staged) {
        try (staged) {
            sessions.apply(rank).load(checkpoint, staged.shards());
            staged.conversion().run();
        }
    }

    /** But for optimizer state that this rank converts. */
    private List<StateShard> wanted(RankRun rank, List<ConvertedForms> parts) {
        Set<String> converted =
                parts.stream().flatMap(forms -> forms.converted().stream()).collect(Collectors.toSet());
        return rank.state().shards().stream()
                .filter(shard -> !compared.missing().contains(shard.key())
                        && !compared.forgotten().contains(shard.key()))
                .filter(shard -> !converted.contains(shard.key()))
                .filter(shard -> !restartsOptimizer || !shard.key().startsWith(ModelWeights.OPTIMIZER_PREFIX))
                .toList();
    }
}
