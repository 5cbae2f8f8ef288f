package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Compares the memory that the ranks of a CPU run used with their plan, by category and to the byte. */
final class PlannedBytes {
    /**
     * What a rank used.
     *
     * @param peakBytes peak of each category
     * @param peakTotalBytes peak of their sum
     */
    record Used(Map<MemoryCategory, Long> peakBytes, long peakTotalBytes) {}

    private PlannedBytes() {}

    /** A device that plans for one like this. */
    static ComputeBackend meta(ComputeBackend like) {
        var profile = like.memoryProfile();
        return new MetaFactory()
                .create(new MetaOptions(
                        profile.deviceName(), profile.alignmentBytes(), profile.workspaceBytes(), 1L << 40, null));
    }

    /** What each rank has used after all its steps, a validation and an exchange. */
    static List<Used> of(LocalRun run) {
        run.validation().all(() -> false);
        // As runs do that export a model, save checkpoints or change strategies.
        run.exchange("between two steps".repeat(40));
        return IntStream.range(0, run.configuration().mesh().mesh().ranks())
                .mapToObj(rank -> run.ranks().ledger(rank))
                .map(ledger -> new Used(ledger.peakBytes(), ledger.peakTotalBytes()))
                .toList();
    }

    /** {@code apart}: categories that are not compared. */
    static void check(
            RunConfiguration configuration,
            Function<ComputeBackend, Strategies> strategies,
            List<Used> used,
            Set<MemoryCategory> apart) {
        List<DryRun.OfRank> planned =
                DryRun.of(configuration, strategies.apply(meta(Layouts.cpu()))).ranks();
        assertEquals(planned.size(), used.size());
        for (int rank = 0; rank < planned.size(); rank++) {
            assertEquals(
                    without(apart, used.get(rank).peakBytes()),
                    without(apart, planned.get(rank).peakBytes()),
                    "rank " + rank);
            assertEquals(used.get(rank).peakTotalBytes(), planned.get(rank).peakTotalBytes(), "rank " + rank);
        }
    }

    private static Map<MemoryCategory, Long> without(Set<MemoryCategory> apart, Map<MemoryCategory, Long> peakBytes) {
        var compared = new EnumMap<>(peakBytes);
        compared.keySet().removeAll(apart);
        return compared;
    }
}
