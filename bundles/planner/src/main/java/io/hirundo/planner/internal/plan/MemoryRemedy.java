package io.hirundo.planner.internal.plan;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.model.layer.Recompute;

/** Which setting lowers the memory of a category. */
final class MemoryRemedy {
    private static final String SHARD_SIZE = "shardSize";
    private static final String SHARD_SIZE_PATH = "mesh.dataParallel.options." + SHARD_SIZE;

    private MemoryRemedy() {}

    static String of(MemoryCategory category, RunConfiguration configuration) {
        String strategy = configuration.mesh().dataParallel().name();
        boolean sharded = strategy.equals("fsdp");
        int ranks = configuration.mesh().data() * configuration.mesh().context();
        // Hybrid sharding: more data ranks would hold more replicas.
        int shardRanks = shardRanks(configuration, ranks);
        boolean isHybrid = shardRanks < ranks;
        boolean alone = ranks == 1;
        if (category == MemoryCategory.GRADIENTS
                && shardRanks > 1
                && configuration.stages().microbatches() > 1
                && "step".equals(configuration.mesh().dataParallel().options().get("reduceEvery"))) {
            return "mesh.dataParallel.options.reduceEvery=microbatch shards them over the "
                    + (isHybrid ? "shardSize" : "data") + " ranks";
        }
        return switch (category) {
            case WEIGHTS, GRADIENTS ->
                sharded || (strategy.equals("zero2") && category == MemoryCategory.GRADIENTS)
                        ? "raise " + (isHybrid ? SHARD_SIZE_PATH : "mesh.data") + ", mesh.tensor or mesh.pipeline"
                        : "mesh.dataParallel=" + (category == MemoryCategory.GRADIENTS ? "zero2" : "fsdp")
                                + " shards them over " + (alone ? "mesh.data ranks" : "the data ranks")
                                + "; or raise mesh.tensor or mesh.pipeline";
            case OPTIMIZER -> "raise " + (isHybrid ? SHARD_SIZE_PATH : "mesh.data") + ", whose ranks share it";
            case ACTIVATIONS -> ofActivations(configuration);
            case COMMUNICATION ->
                sharded
                                && shardRanks > 1
                                && !Boolean.FALSE.equals(configuration
                                        .mesh()
                                        .dataParallel()
                                        .options()
                                        .get("overlap"))
                        ? "mesh.dataParallel.options.overlap=false gathers one block at a time"
                        : "lower training.microBatch or training.sequenceTokens";
            case WORKSPACE -> "lower training.microBatch or training.sequenceTokens";
        };
    }

    /** Ranks that share one copy of the gradients. */
    private static int shardRanks(RunConfiguration configuration, int ranks) {
        Object size = configuration.mesh().dataParallel().options().get(SHARD_SIZE);
        return size instanceof Number number && number.intValue() > 0 ? Math.min(ranks, number.intValue()) : ranks;
    }

    private static String ofActivations(RunConfiguration configuration) {
        var training = configuration.training();
        if (training.recompute() != Recompute.FULL) {
            return training.recompute() == Recompute.NONE
                    ? "training.recompute=selective, or full, keeps less of each layer"
                    : "training.recompute=full keeps only the input of each layer";
        }
        return (training.microBatch() > 1 ? "lower training.microBatch, or " : "")
                + "raise mesh.context, which shards sequences, or mesh.tensor";
    }
}
