package io.hirundo.planner.internal.plan;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.accounting.AccountedLedger.Work;
import io.hirundo.lib.engine.accounting.CountedFabric;
import io.hirundo.lib.engine.accounting.FlopCount;
import io.hirundo.lib.engine.audit.GemmPlan;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.fit.LayoutCheck;
import io.hirundo.lib.run.section.SizeLimits;
import io.hirundo.model.ModelSpec;
import io.hirundo.planner.internal.plan.RankClasses.RankClass;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Runs the first steps of a run on zero tokens to count its memory and work. It makes every kind of allocation and kernel that the run
 * makes. If the configuration has them, it includes a step that measures quantization error, a fingerprinted step and a generated sample of
 * maximum length. It always includes one validation.
 */
public final class DryRun {
    /**
     * The counts of a dry run.
     *
     * @param parameters number of parameters of the model
     * @param tokensPerStep tokens of the global batch
     * @param modelFlopsPerStep model FLOPs of a step, without recomputation and elementwise work
     * @param sendsFp8 whether any transfer between ranks is in FP8
     * @param ranks counts of each rank
     */
    public record Counted(
            long parameters, long tokensPerStep, double modelFlopsPerStep, boolean sendsFp8, List<OfRank> ranks) {
        public Counted {
            ranks = List.copyOf(ranks);
        }
    }

    /**
     * The counts of one rank.
     *
     * @param peakBytes peak memory of each category; the peaks may be at different times
     * @param peakTotalBytes peak of the sum of all categories
     * @param bytesAtPeak what each category has at this peak
     * @param workPerStep work by kernel and collective, if the device counts it
     * @param gemmSummary GEMM precision summary; empty if the name of the precision says everything
     * @param audited GEMMs that an audit may check; empty without an audit
     * @param exchangedBytes upper bound of the bytes exchanged for a chunk of a collective; 0 without an audit
     */
    public record OfRank(
            Map<MemoryCategory, Long> peakBytes,
            long peakTotalBytes,
            Map<MemoryCategory, Long> bytesAtPeak,
            Map<String, Work> workPerStep,
            List<String> gemmSummary,
            List<GemmPlan> audited,
            long exchangedBytes) {
        /** Creates counts without an audit. */
        public OfRank(
                Map<MemoryCategory, Long> peakBytes,
                long peakTotalBytes,
                Map<MemoryCategory, Long> bytesAtPeak,
                Map<String, Work> workPerStep,
                List<String> gemmSummary) {
            this(peakBytes, peakTotalBytes, bytesAtPeak, workPerStep, gemmSummary, List.of(), 0);
        }

        /** The counts of a rank that differs from this one only in its shard. */
        OfRank withShard(RankClasses.Shard own, RankClasses.Shard other) {
            if (own.equals(other)) {
                return this;
            }
            var more = new EnumMap<MemoryCategory, Long>(MemoryCategory.class);
            other.bytes()
                    .forEach((category, bytes) ->
                            more.put(category, bytes - own.bytes().get(category)));
            long moreOfAll = more.values().stream().mapToLong(Long::longValue).sum();
            return new OfRank(
                    sum(peakBytes, more),
                    peakTotalBytes + moreOfAll,
                    sum(bytesAtPeak, more),
                    workPerStep,
                    gemmSummary,
                    audited,
                    exchangedBytes);
        }

        private static Map<MemoryCategory, Long> sum(Map<MemoryCategory, Long> bytes, Map<MemoryCategory, Long> more) {
            return bytes.entrySet().stream()
                    .collect(Collectors.toUnmodifiableMap(
                            Map.Entry::getKey, each -> each.getValue() + more.get(each.getKey())));
        }

        /** Work of the collectives of a step, by collective and axes. */
        public Map<String, Work> collectivesPerStep() {
            return CountedFabric.collectives(workPerStep);
        }

        public Map<String, Work> kernelsPerStep() {
            var kernels = new LinkedHashMap<>(workPerStep);
            kernels.keySet().removeIf(name -> name.startsWith(CountedFabric.PREFIX));
            return kernels;
        }
    }

    /** Progress listener, called from several threads. An exception cancels the dry run. */
    public interface Watch {
        /** A listener that does nothing. */
        Watch NONE = new Watch() {};

        /** Called once it is known how many different ranks the mesh has, each of which takes so many steps; a validation counts as a step. */
        default void begin(int ranks, int different, int steps) {}

        /** Called often: before a rank is opened, and for each collective. */
        default void check() {}

        /** Called after a rank has completed a step. */
        default void stepDone() {}
    }

    private DryRun() {}

    /** As {@link #of(RunConfiguration, Strategies, Watch)}, without a progress listener. */
    public static Counted of(RunConfiguration configuration, Strategies strategies) {
        return of(configuration, strategies, Watch.NONE);
    }

    /**
     * Counts the ranks of the mesh. Reads no data. Runs one rank of each {@link RankClasses.Kind}. A shard is allocated when a model is opened,
     * and stays: ranks that differ only in their shards need the difference of the shards' memory more or less at every later time. Their
     * work is that of the rank that ran.
     *
     * @throws ConfigurationException if there are more ranks than a plan counts
     */
    public static Counted of(RunConfiguration configuration, Strategies strategies, Watch watch) {
        ModelSpec spec = strategies.model().architecture().describe();
        LayoutCheck.checkBegin(configuration, spec, strategies);
        var training = configuration.training();
        var mesh = configuration.mesh().mesh();
        if (mesh.ranks() > SizeLimits.PLANNED_RANKS) {
            throw new ConfigurationException(String.format(
                    Locale.ROOT,
                    "mesh: %,d ranks; a plan counts up to %,d; lower mesh.data, whose ranks differ only in their shards of optimizer state",
                    mesh.ranks(),
                    SizeLimits.PLANNED_RANKS));
        }
        ComputeBackend backend = strategies.compute().backend().sharedBy(mesh.ranks());
        List<RankClass> classes = new RankClasses(configuration, strategies, backend, watch).ofRanks();
        var runs = new LinkedHashMap<RankClasses.Kind, Integer>();
        for (int rank = 0; rank < classes.size(); rank++) {
            runs.putIfAbsent(classes.get(rank).kind(), rank);
        }
        watch.begin(mesh.ranks(), runs.size(), RankDryRun.steps(configuration));
        var dryRun = new RankDryRun(configuration, strategies, backend, watch);
        var ran = new ConcurrentHashMap<RankClasses.Kind, RankDryRun.Result>();
        Workers.each(List.copyOf(runs.entrySet()), run -> ran.put(run.getKey(), dryRun.of(run.getValue())));
        var ofClass = new HashMap<RankClass, OfRank>();
        for (RankClass each : Set.copyOf(classes)) {
            RankClasses.Shard counted = classes.get(runs.get(each.kind())).shard();
            ofClass.put(each, ran.get(each.kind()).counts().withShard(counted, each.shard()));
        }
        return new Counted(
                ModelTensors.parameters(spec),
                (long) training.globalBatch() * training.sequenceTokens(),
                FlopCount.ofStep(spec, training.globalBatch(), training.sequenceTokens()),
                ran.values().stream().anyMatch(RankDryRun.Result::sendsFp8),
                classes.stream().map(ofClass::get).toList());
    }
}
