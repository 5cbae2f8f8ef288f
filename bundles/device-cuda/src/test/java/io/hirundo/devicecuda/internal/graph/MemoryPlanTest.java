package io.hirundo.devicecuda.internal.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecuda.internal.graph.MemoryPlan.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fixed offsets of memory, and their total size. */
class MemoryPlanTest {
    private static final long MIB = 1 << 20;

    private final List<Event> events = new ArrayList<>();
    private final List<Long> sizes = new ArrayList<>();

    private int take(long bytes) {
        events.add(Event.take(sizes.size(), bytes, 0));
        sizes.add(bytes);
        return sizes.size() - 1;
    }

    private void give(int take) {
        events.add(Event.give(take, sizes.get(take), 0));
    }

    @Test
    void usesTheSmallestSufficientGap() {
        int large = take(3 * MIB);
        int between = take(MIB);
        int small = take(2 * MIB);
        int last = take(MIB);
        give(large);
        give(small);
        int fits = take(2 * MIB);
        int next = take(MIB);
        List.of(between, last, fits, next).forEach(this::give);
        MemoryPlan plan = MemoryPlan.of(events);
        assertEquals(4 * MIB, plan.offset(fits));
        assertEquals(0, plan.offset(next));
        assertEquals(7 * MIB, plan.bytes());
        assertEquals(7 * MIB, plan.mostBytes());
    }

    @Test
    void mergesAdjacentGaps() {
        int first = take(MIB);
        int second = take(MIB);
        int third = take(MIB);
        int last = take(MIB);
        give(first);
        give(third);
        give(second);
        int whole = take(3 * MIB);
        give(last);
        give(whole);
        MemoryPlan plan = MemoryPlan.of(events);
        assertEquals(0, plan.offset(whole));
        assertEquals(4 * MIB, plan.bytes());
    }

    @Test
    void growsAGapAtTheEnd() {
        int first = take(MIB);
        give(first);
        int larger = take(2 * MIB);
        give(larger);
        assertEquals(2 * MIB, MemoryPlan.of(events).bytes());
    }

    @Test
    void assignsNoOffsetWithoutAFree() {
        int stays = take(MIB);
        int goes = take(MIB);
        give(goes);
        MemoryPlan plan = MemoryPlan.of(events);
        assertEquals(Allocation.IN_POOL, plan.offset(stays));
        assertEquals(0, plan.offset(goes));
        assertEquals(MIB, plan.bytes());
    }

    /**
     * The forward and backward passes of the layers of Llama 8B with 8192 tokens in BF16, one after the other; the head in chunks of 1024
     * tokens.
     */
    @ParameterizedTest
    @CsvSource({"1, 1.053", "4, 1.025", "32, 1.004"})
    void stepNeedsLittleMoreThanItsPeak(int layers, double times) {
        for (int microbatch = 0; microbatch < 2; microbatch++) {
            Deque<List<Integer>> saved = new ArrayDeque<>();
            int stream = take(64 * MIB);
            for (int layer = 0; layer < layers; layer++) {
                var kept = new ArrayList<Integer>();
                kept.add(stream);
                kept.add(take(64 * MIB)); // norm
                int fused = take(96 * MIB);
                kept.add(take(64 * MIB)); // queries
                kept.add(take(16 * MIB)); // keys
                kept.add(take(16 * MIB)); // values
                give(fused);
                kept.add(take(64 * MIB)); // attention
                kept.add(take(MIB)); // log-sum-exp
                int projected = take(64 * MIB);
                int sum = take(64 * MIB);
                give(projected);
                kept.add(sum);
                kept.add(take(64 * MIB)); // norm
                kept.add(take(448 * MIB)); // gate and up
                int inner = take(224 * MIB);
                int down = take(64 * MIB);
                give(inner);
                stream = take(64 * MIB);
                give(down);
                saved.push(kept);
            }
            int gradient = take(64 * MIB);
            for (int chunk = 0; chunk < 8; chunk++) {
                give(take(251 * MIB));
            }
            give(stream);
            while (!saved.isEmpty()) {
                int inner = take(224 * MIB);
                int dInner = take(224 * MIB);
                int dBoth = take(448 * MIB);
                give(dInner);
                give(inner);
                int dNorm = take(64 * MIB);
                give(dBoth);
                int dSum = take(64 * MIB);
                give(dNorm);
                give(gradient);
                int sums = take(128 * MIB + MIB / 2);
                int dHeads = take(96 * MIB);
                give(sums);
                int dInput = take(64 * MIB);
                give(dHeads);
                gradient = take(64 * MIB);
                give(dInput);
                give(dSum);
                saved.pop().forEach(this::give);
            }
            give(gradient);
        }
        MemoryPlan plan = MemoryPlan.of(events);
        assertTrue(plan.bytes() <= times * plan.mostBytes(), plan.bytes() + " bytes for " + plan.mostBytes());
    }
}
