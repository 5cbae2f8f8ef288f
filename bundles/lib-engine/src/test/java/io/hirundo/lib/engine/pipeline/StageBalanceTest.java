package io.hirundo.lib.engine.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StageBalanceTest {
    private static final BlockCost LAYER = new BlockCost(1, 1, 0.1);

    private static List<BlockCost> model(BlockCost embedding, int layers, BlockCost head) {
        return Stream.of(List.of(embedding), Collections.nCopies(layers, LAYER), List.of(head))
                .flatMap(List::stream)
                .toList();
    }

    /** With a microbatch for each stage, and a stage a rank. */
    private static List<StageSplit.Blocks> split(List<BlockCost> costs, int stages, double margin) {
        return new StageBalance.Pipeline(stages, 1, stages).split(costs, margin);
    }

    private static List<Integer> counts(List<StageSplit.Blocks> split) {
        return split.stream().map(StageSplit.Blocks::count).toList();
    }

    @Test
    void givesFewerLayersToTheStageOfAHeavyHead() {
        // The head costs as much as two layers.
        var costs = model(new BlockCost(0, 0, 0), 8, new BlockCost(2, 0, 0));

        assertEquals(List.of(6, 4), counts(split(costs, 2, 0)));
    }

    @Test
    void memoryDecidesBetweenSplitsOfEqualFlops() {
        // Three of four stages have one layer more than the last one, whose head costs a layer; which three is the same
        // for FLOPs.
        var costs = model(new BlockCost(0, 2, 0), 10, new BlockCost(1, 2, 0));

        // The first stage has the embedding and most microbatches, and the last one the head.
        assertEquals(List.of(3, 3, 3, 3), counts(split(costs, 4, 0)));
        assertEquals(List.of(2, 3, 3, 2), layers(split(costs, 4, 0), costs.size()));
    }

    @Test
    void marginTradesFlopsForMemory() {
        // Stage 0 has a table of the size of four layers, which takes no FLOPs.
        var costs = model(new BlockCost(0, 4, 0), 16, new BlockCost(1, 0, 0));

        assertEquals(List.of(8, 8), layers(split(costs, 2, 0), costs.size()));
        assertEquals(List.of(7, 9), layers(split(costs, 2, 0.12), costs.size()));
    }

    /** More microbatches are in flight in early stages. */
    @Test
    void activationsOfEarlyStagesCount() {
        var layer = new BlockCost(1, 0, 1);
        var costs = new ArrayList<>(Collections.nCopies(12, layer));
        costs.addFirst(new BlockCost(0, 0, 0));
        costs.addLast(new BlockCost(0, 0, 0));

        assertEquals(List.of(6, 6), layers(split(costs, 2, 0), costs.size()));
        assertEquals(List.of(4, 8), layers(split(costs, 2, 0.34), costs.size()));
        // A step of a single microbatch keeps one on every stage.
        assertEquals(List.of(6, 6), layers(new StageBalance.Pipeline(2, 1, 1).split(costs, 0.34), costs.size()));
    }

    @Test
    void aHeavyHeadLeavesALayerToItsStage() {
        var costs = model(new BlockCost(0, 50, 0), 4, new BlockCost(50, 50, 0));

        assertEquals(List.of(3, 1), layers(split(costs, 2, 0), costs.size()));
    }

    @Test
    void givesEveryStageABlock() {
        var costs = List.of(BlockCost.NONE, new BlockCost(9, 9, 9), BlockCost.NONE);
        assertEquals(List.of(1, 1, 1), counts(split(costs, 3, 0)));
        assertEquals(List.of(3), counts(split(costs, 1, 0)));
    }

    /** Against all splits: least FLOPs of the heaviest stage, and among these, or within a margin, the least memory. */
    @Test
    void findsTheBestOfAllSplits() {
        var random = new Random(3);
        for (int round = 0; round < 200; round++) {
            var costs = new ArrayList<BlockCost>();
            for (int block = 0; block < 9; block++) {
                // Few values, so that there are ties.
                costs.add(new BlockCost(1 + random.nextInt(3), random.nextInt(4), random.nextInt(3)));
            }
            int stages = 1 + random.nextInt(4);
            double margin = random.nextInt(3) * 0.2;
            var split = split(costs, stages, margin);

            var all = splits(costs.size(), stages);
            double flops =
                    all.stream().mapToDouble(each -> flops(costs, each)).min().orElseThrow() * (1 + margin) + 1e-9;
            double bytes = all.stream()
                    .filter(each -> flops(costs, each) <= flops)
                    .mapToDouble(each -> bytes(costs, each))
                    .min()
                    .orElseThrow();
            assertEquals(stages, split.size());
            assertEquals(costs.size(), split.getLast().end());
            assertTrue(flops(costs, split) <= flops, split::toString);
            assertEquals(bytes, bytes(costs, split), 1e-9);
        }
    }

    @Test
    @Timeout(120)
    void splitsTheDeepestModelIntoManyStages() {
        assertEquals(
                1_024,
                split(model(new BlockCost(0, 1, 0), 4_096, new BlockCost(2, 1, 0)), 1_024, 0)
                        .size());
    }

    private static List<Integer> layers(List<StageSplit.Blocks> split, int blocks) {
        return split.stream()
                .map(stage -> Math.min(stage.end(), blocks - 1) - Math.max(stage.first(), 1))
                .toList();
    }

    /** All splits that leave a layer to each stage; the first and the last block are no layers. */
    private static List<List<StageSplit.Blocks>> splits(int blocks, int stages) {
        if (stages == 1) {
            return List.of(List.of(new StageSplit.Blocks(0, blocks)));
        }
        var all = new ArrayList<List<StageSplit.Blocks>>();
        for (int mask = 0; mask < 1 << (blocks - 1); mask++) {
            int ends = mask;
            if (Integer.bitCount(ends) == stages - 1) {
                var split = new ArrayList<StageSplit.Blocks>();
                int first = 0;
                for (int end : IntStream.rangeClosed(1, blocks)
                        .filter(end -> end == blocks || (ends >> (end - 1) & 1) == 1)
                        .toArray()) {
                    split.add(new StageSplit.Blocks(first, end - first));
                    first = end;
                }
                if (layers(split, blocks).stream().allMatch(count -> count > 0)) {
                    all.add(split);
                }
            }
        }
        return all;
    }

    private static double flops(List<BlockCost> costs, List<StageSplit.Blocks> split) {
        return split.stream()
                .mapToDouble(stage -> costs.subList(stage.first(), stage.end()).stream()
                        .mapToDouble(BlockCost::flops)
                        .sum())
                .max()
                .orElseThrow();
    }

    private static double bytes(List<BlockCost> costs, List<StageSplit.Blocks> split) {
        return IntStream.range(0, split.size())
                .mapToDouble(stage -> costs
                        .subList(split.get(stage).first(), split.get(stage).end())
                        .stream()
                        .mapToDouble(cost -> cost.stateBytes() + (split.size() - stage) * cost.savedBytes())
                        .sum())
                .max()
                .orElseThrow();
    }
}
