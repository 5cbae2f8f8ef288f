package io.hirundo.planner.internal.plan;

import io.hirundo.lib.engine.accounting.AccountedLedger.Work;
import io.hirundo.lib.engine.audit.GemmPlan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Predicts the overhead of the audit and its detection probability from counted work. An audit draws uniformly a rank, one of its layers,
 * one of the layer's GEMMs, one of its calls and one tile.
 *
 * @param ranks GEMMs of each rank in a step, and the work of the step
 */
public record AuditForecast(List<OfRank> ranks) {
    /**
     * The counts of one rank.
     *
     * @param layers GEMMs of each layer
     * @param step work of a step by kernel
     * @param collectives collectives of a step
     * @param exchangedBytes upper bound of the bytes exchanged for a chunk of a collective
     */
    public record OfRank(
            List<List<GemmPlan>> layers, Collection<Work> step, Collection<Work> collectives, long exchangedBytes) {}

    /**
     * The overhead of an audit as fractions of a step's work.
     *
     * @param flops FLOPs of the recomputed tiles, divided by those of the step
     * @param bytes copied bytes, divided by the bytes that kernels move
     * @param sent exchanged bytes, divided by the bytes of the step's collectives; 0 if the step has none
     */
    public record Overhead(double flops, double bytes, double sent) {
        /** The largest of the three fractions. */
        public double largest() {
            return Math.max(flops, Math.max(bytes, sent));
        }
    }

    /**
     * A fault of a given extent at an unknown place, present in every step.
     *
     * @param extent description of the extent
     * @param places number of places where the fault may be, by the probability that a single audit detects it there
     */
    public record Fault(String extent, SortedMap<Double, Long> places) {
        public Fault {
            places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
        }

        /** A fault with the same probability at every place. */
        public Fault(String extent, double probability) {
            this(extent, new TreeMap<>(Map.of(probability, 1L)));
        }

        /**
         * The probability to detect the fault within this number of audits, averaged over its places. A fractional part is the probability of
         * one more audit.
         */
        public double within(double audits) {
            double sum = 0;
            long count = 0;
            // The mean of the probabilities after all audits. The mean of single audits, extrapolated, would be too
            // high.
            for (var place : places.entrySet()) {
                sum += place.getValue() * within(place.getKey(), audits);
                count += place.getValue();
            }
            return sum / count;
        }

        private static double within(double probability, double audits) {
            double whole = Math.floor(audits);
            double hidden = Math.log1p(-(audits - whole) * probability);
            // Computed by log1p, because 1 - p rounds to 1 for small p.
            return -Math.expm1(hidden + (whole == 0 ? 0 : whole * Math.log1p(-probability)));
        }
    }

    public AuditForecast {
        ranks = List.copyOf(ranks);
    }

    /** The forecast from the counts of a dry run with an audit. */
    public static AuditForecast of(DryRun.Counted counted) {
        var all = new ArrayList<OfRank>();
        for (DryRun.OfRank rank : counted.ranks()) {
            Map<String, List<GemmPlan>> layers = new LinkedHashMap<>();
            rank.audited()
                    .forEach(plan -> layers.computeIfAbsent(plan.layer(), unseen -> new ArrayList<>())
                            .add(plan));
            all.add(new OfRank(
                    List.copyOf(layers.values()),
                    rank.kernelsPerStep().values(),
                    rank.collectivesPerStep().values(),
                    rank.exchangedBytes()));
        }
        return new AuditForecast(all);
    }

    /** The overhead of one audit, averaged over the possible draws, on the rank where it is the largest fraction of the rank's step. */
    public Overhead ofOneAudit() {
        var worst = new Overhead(0, 0, 0);
        for (OfRank rank : ranks) {
            double flops = mean(rank, AuditForecast::flops)
                    / Math.max(1, rank.step().stream().mapToLong(Work::flops).sum());
            double bytes = mean(rank, AuditForecast::bytes)
                    / Math.max(
                            1, rank.step().stream().mapToLong(Work::movedBytes).sum());
            long collectives =
                    rank.collectives().stream().mapToLong(Work::movedBytes).sum();
            double sent = collectives == 0 ? 0 : (double) rank.exchangedBytes() / collectives;
            worst = new Overhead(
                    Math.max(worst.flops(), flops), Math.max(worst.bytes(), bytes), Math.max(worst.sent(), sent));
        }
        return worst;
    }

    /** Faults of increasing extent, from one element to every tile. */
    public List<Fault> faults() {
        return List.of(
                new Fault(
                        "one element of one GEMM, in one of a step's calls, on one rank",
                        ofGemms(plan -> 1.0 / (plan.tiles() * (double) plan.calls()))),
                new Fault("one tile of one GEMM, in every call, on one rank", ofGemms(plan -> 1.0 / plan.tiles())),
                new Fault("every tile of one GEMM of one layer, on one rank", ofGemms(plan -> 1)),
                new Fault("one layer, on one rank", ofLayers()),
                new Fault("one layer, on every rank that has it", ofLayersEverywhere()),
                new Fault("every GEMM on one rank", 1.0 / ranks.size()),
                new Fault("one element in every tile on every rank", 1));
    }

    /** Places of a fault in one GEMM: the probability that the GEMM and the tile of the fault are drawn. */
    private SortedMap<Double, Long> ofGemms(ToDoubleFunction<GemmPlan> tile) {
        var places = new TreeMap<Double, Long>();
        for (OfRank rank : ranks) {
            for (List<GemmPlan> layer : rank.layers()) {
                for (GemmPlan plan : layer) {
                    places.merge(
                            tile.applyAsDouble(plan)
                                    / (ranks.size() * (double) rank.layers().size() * layer.size()),
                            1L,
                            Long::sum);
                }
            }
        }
        return places;
    }

    /** Places of a fault in one layer of one rank: the probability that this layer is drawn on this rank. */
    private SortedMap<Double, Long> ofLayers() {
        var places = new TreeMap<Double, Long>();
        for (OfRank rank : ranks) {
            if (!rank.layers().isEmpty()) {
                places.merge(
                        1.0 / (ranks.size() * (double) rank.layers().size()),
                        (long) rank.layers().size(),
                        Long::sum);
            }
        }
        return places;
    }

    private SortedMap<Double, Long> ofLayersEverywhere() {
        var shares = new LinkedHashMap<String, Double>();
        for (OfRank rank : ranks) {
            for (List<GemmPlan> layer : rank.layers()) {
                shares.merge(
                        layer.getFirst().layer(),
                        1.0 / (ranks.size() * (double) rank.layers().size()),
                        Double::sum);
            }
        }
        var places = new TreeMap<Double, Long>();
        shares.values().forEach(share -> places.merge(share, 1L, Long::sum));
        return places;
    }

    private static double mean(OfRank rank, ToDoubleFunction<GemmPlan> of) {
        return rank.layers().stream()
                .mapToDouble(layer -> layer.stream().mapToDouble(of).average().orElse(0))
                .average()
                .orElse(0);
    }

    /** Two FLOPs per multiply-add. */
    private static double flops(GemmPlan plan) {
        return 2.0 * Math.min(plan.tile(), plan.rows()) * Math.min(plan.tile(), plan.columns()) * plan.summands();
    }

    /** Each copy is read, written and downloaded. Operands that are quantized again are read as FP32 at most, and written. */
    private static double bytes(GemmPlan plan) {
        double copied = 0;
        for (var elements : plan.copiedElements().entrySet()) {
            copied += (double) elements.getValue() * elements.getKey().byteSize();
        }
        double original = plan.quantizedBytes() == 0 ? 0 : plan.quantizedBytes() * (double) Float.BYTES;
        return 3 * copied + original + plan.quantizedBytes();
    }
}
