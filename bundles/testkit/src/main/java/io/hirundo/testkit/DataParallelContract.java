package io.hirundo.testkit;

import io.hirundo.testkit.parallel.GradientClauses;
import io.hirundo.testkit.parallel.OwnershipClauses;
import io.hirundo.testkit.parallel.PlannedMemoryClauses;
import io.hirundo.testkit.parallel.ReshardingClauses;
import io.hirundo.testkit.parallel.TransferClauses;
import io.hirundo.testkit.parallel.WeightClauses;

/**
 * Contract tests for a {@code DataParallel} strategy and its {@code ShardedParameters}, on several numbers of ranks: every element has one
 * owner, layers read updated weights, gradients are sums over ranks and microbatches, shards move to other strategies, and plans count the
 * memory. Ranks are threads, connected so that the result of a collective arrives when it is awaited, and not before.
 */
public interface DataParallelContract
        extends OwnershipClauses,
                WeightClauses,
                GradientClauses,
                TransferClauses,
                ReshardingClauses,
                PlannedMemoryClauses {}
