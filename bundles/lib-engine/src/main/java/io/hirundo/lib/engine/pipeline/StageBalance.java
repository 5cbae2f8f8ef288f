package io.hirundo.lib.engine.pipeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Splits blocks into pipeline stages by FLOPs, then by memory. The heaviest stage sets the pace of the pipeline, so its FLOPs are the
 * least possible. Among the splits that reach this, or exceed it by no more than a margin, the one with the least memory on the fullest
 * stage is taken; then the one with the smallest sum of squared FLOPs.
 *
 * <p>A stage keeps the activations of all microbatches between its forward and its backward: as in 1F1B, one for each stage from itself to
 * the last one. Other schedules keep more or fewer, but all of a run's must have the same stages, so that it can change its schedule. A
 * model with as many layers as stages has a layer in each, so that a large embedding or head does not push all layers onto the other stages.
 */
public final class StageBalance {
    private static final double ROUNDING = 1e-12;

    /**
     * The stages of a pipeline.
     *
     * @param stages number of stages
     * @param chunks stages of a rank
     * @param microbatches of a step
     */
    public record Pipeline(int stages, int chunks, long microbatches) {
        /**
         * Cuts a model.
         *
         * @param costs of each block, the embedding and the head included; at least one block for each stage
         * @param margin by how much the FLOPs of the heaviest stage may exceed the least possible, relative
         */
        public List<StageSplit.Blocks> split(List<BlockCost> costs, double margin) {
            return StageBalance.of(costs, this, margin);
        }

        private double microbatchesKept(int stage) {
            return Math.min(microbatches, (stages - stage) / (double) chunks);
        }
    }

    private final BlockCost[] sums;
    private final int blocks;
    private final int stages;
    private final Pipeline pipeline;

    private StageBalance(List<BlockCost> costs, Pipeline pipeline) {
        this.blocks = costs.size();
        this.stages = pipeline.stages();
        this.pipeline = pipeline;
        this.sums = new BlockCost[blocks + 1];
        sums[0] = BlockCost.NONE;
        for (int block = 0; block < blocks; block++) {
            sums[block + 1] = sums[block].plus(costs.get(block));
        }
    }

    private static List<StageSplit.Blocks> of(List<BlockCost> costs, Pipeline pipeline, double margin) {
        if (pipeline.stages() > costs.size()) {
            throw new IllegalArgumentException(pipeline.stages() + " stages of " + costs.size() + " blocks");
        }
        boolean hasLayersForAll = pipeline.stages() > 1 && costs.size() - 2 >= pipeline.stages();
        if (!hasLayersForAll) {
            return new StageBalance(costs, pipeline).split(margin);
        }
        // The embedding goes with the first layer, and the head with the last one.
        int last = costs.size() - 1;
        var joined = new ArrayList<>(costs.subList(1, last));
        joined.set(0, costs.getFirst().plus(joined.getFirst()));
        joined.set(joined.size() - 1, joined.getLast().plus(costs.getLast()));
        return new StageBalance(joined, pipeline)
                .split(margin).stream()
                        .map(stage -> {
                            int first = stage.first() == 0 ? 0 : stage.first() + 1;
                            int end = stage.end() == joined.size() ? costs.size() : stage.end() + 1;
                            return new StageSplit.Blocks(first, end - first);
                        })
                        .toList();
    }

    private List<StageSplit.Blocks> split(double margin) {
        double flops = leastFlops() * (1 + margin) * (1 + ROUNDING);
        double bytes = leastBytes(flops) * (1 + ROUNDING);
        return leastSquares(flops, bytes);
    }

    private double flops(int begin, int end) {
        return sums[end].flops() - sums[begin].flops();
    }

    private double bytes(int stage, int begin, int end) {
        double saved = pipeline.microbatchesKept(stage) * (sums[end].savedBytes() - sums[begin].savedBytes());
        return sums[end].stateBytes() - sums[begin].stateBytes() + saved;
    }

    /** The FLOPs of the heaviest stage in the most even split. */
    private double leastFlops() {
        double[] best = new double[blocks + 1];
        for (int end = 0; end <= blocks; end++) {
            best[end] = flops(0, end);
        }
        for (int stage = 2; stage <= stages; stage++) {
            double[] next = new double[blocks + 1];
            Arrays.fill(next, Double.POSITIVE_INFINITY);
            // A larger end makes the last stage heavier, so its best begin never decreases. One pass over the blocks is
            // enough.
            int begin = stage - 1;
            for (int end = stage; end <= blocks; end++) {
                while (begin + 1 < end && heaviest(best, begin + 1, end) <= heaviest(best, begin, end)) {
                    begin++;
                }
                next[end] = heaviest(best, begin, end);
            }
            best = next;
        }
        return best[blocks];
    }

    /** If the blocks before {@code begin} are split optimally, and the last stage ranges from {@code begin} to {@code end}. */
    private double heaviest(double[] best, int begin, int end) {
        return Math.max(best[begin], flops(begin, end));
    }

    /** The memory of the fullest stage at its least, with no stage above these FLOPs. */
    private double leastBytes(double mostFlops) {
        double[] best = new double[blocks + 1];
        Arrays.fill(best, Double.POSITIVE_INFINITY);
        best[0] = 0;
        for (int stage = 0; stage < stages; stage++) {
            double[] next = new double[blocks + 1];
            Arrays.fill(next, Double.POSITIVE_INFINITY);
            for (int end = stage + 1; end <= blocks; end++) {
                for (int begin = end - 1; begin >= stage && flops(begin, end) <= mostFlops; begin--) {
                    next[end] = Math.min(next[end], Math.max(best[begin], bytes(stage, begin, end)));
                }
            }
            best = next;
        }
        return best[blocks];
    }

    private List<StageSplit.Blocks> leastSquares(double mostFlops, double mostBytes) {
        double[][] cost = new double[stages + 1][blocks + 1];
        int[][] from = new int[stages + 1][blocks + 1];
        for (double[] row : cost) {
            Arrays.fill(row, Double.POSITIVE_INFINITY);
        }
        cost[0][0] = 0;
        for (int stage = 1; stage <= stages; stage++) {
            for (int end = stage; end <= blocks; end++) {
                // Backwards from the end, because earlier begins only make the stage heavier.
                for (int begin = end - 1; begin >= stage - 1 && flops(begin, end) <= mostFlops; begin--) {
                    double total = cost[stage - 1][begin] + flops(begin, end) * flops(begin, end);
                    // Ties go to the earliest begin.
                    if (total <= cost[stage][end] && bytes(stage - 1, begin, end) <= mostBytes) {
                        cost[stage][end] = total;
                        from[stage][end] = begin;
                    }
                }
            }
        }
        var split = new ArrayList<StageSplit.Blocks>();
        int end = blocks;
        for (int stage = stages; stage > 0; stage--) {
            int begin = from[stage][end];
            split.addFirst(new StageSplit.Blocks(begin, end - begin));
            end = begin;
        }
        return split;
    }
}
