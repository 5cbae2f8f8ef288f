package io.hirundo.trainer.internal.parity;

import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Computes which pairs of values a set of layouts lacks.
 *
 * <p>Each axis, split or not, meets each other one, each kind of schedule, and each degree of recomputation. Strategies of an axis meet the
 * axes that share their tensors: attention over context ranks has the heads of tensor ranks, ZeRO shards what tensor ranks have sharded, and
 * sequence parallelism shards the tokens of context ranks again. Pairs of strategies of different axes are more than 8 layouts can hold (4
 * kinds of schedules with 3 of ZeRO alone are 12): {@link FamilyMatrixTest} has more of them.
 */
final class PairwiseCover {
    /** Part of a layout. Its value is null where the layout does not use it. */
    private enum Aspect {
        TENSOR(layout -> split(layout.extents().tensor()), "1", "split"),
        CONTEXT(layout -> split(layout.extents().context()), "1", "split"),
        DATA(layout -> split(layout.extents().data()), "1", "split"),
        /** By how they split layers and backward passes. */
        SCHEDULE(Aspect::schedule, "none", "1f1b or gpipe", "zb-h1", "interleaved or zb-v"),
        /** Of models that come tied and untied, with other layers. */
        TIED(layout -> String.valueOf(layout.tied()), "true", "false"),
        RECOMPUTE(
                layout -> layout.recompute().name(),
                Arrays.stream(Recompute.values()).map(Recompute::name).toArray(String[]::new)),
        ATTENTION(
                layout -> layout.extents().context() == 1 ? null : layout.ways().context(), "ring", "all-gather"),
        /** ZeRO shards over the ranks of data and context parallelism together. */
        SHARDING(
                layout -> layout.extents().data() * layout.extents().context() == 1
                        ? null
                        : layout.ways().data(),
                "zero1",
                "zero2",
                "fsdp"),
        SEQUENCE_PARALLEL(
                layout -> layout.extents().tensor() == 1
                        ? null
                        : String.valueOf(layout.ways().sequenceParallel()),
                "true",
                "false");

        private final Function<Layout, String> value;
        private final List<String> values;

        Aspect(Function<Layout, String> value, String... values) {
            this.value = value;
            this.values = List.of(values);
        }

        private static String split(int ranks) {
            return ranks == 1 ? "1" : "split";
        }

        private static String schedule(Layout layout) {
            if (layout.extents().pipeline() == 1) {
                return "none";
            }
            return switch (layout.ways().schedule()) {
                case "1f1b", "gpipe" -> "1f1b or gpipe";
                case "interleaved", "zb-v" -> "interleaved or zb-v";
                case String other -> other;
            };
        }
    }

    private record Pair(Aspect one, Aspect other) {}

    private static final Set<Aspect> AXES = EnumSet.of(Aspect.TENSOR, Aspect.CONTEXT, Aspect.DATA, Aspect.SCHEDULE);
    private static final List<String> SCHEDULES = List.of("1f1b", "gpipe", "interleaved", "zb-h1", "zb-v");

    private PairwiseCover() {}

    /** Of a model that is always tied, or never. */
    static Set<String> missing(List<Layout> layouts) {
        return missing(layouts, pairs(AXES, Aspect.DATA));
    }

    /** Of a model whose tied and untied kinds have different layers: each kind meets every axis and strategy. */
    static Set<String> missingOfKinds(List<Layout> layouts) {
        Set<Aspect> axes = EnumSet.copyOf(AXES);
        axes.add(Aspect.TIED);
        List<Pair> pairs = pairs(axes, Aspect.TIED);
        pairs.add(new Pair(Aspect.SHARDING, Aspect.TIED));
        return missing(layouts, pairs);
    }

    /** {@code second}: what attention and sequence parallelism meet besides the axis that shares their tensors. */
    private static List<Pair> pairs(Set<Aspect> axes, Aspect second) {
        List<Pair> pairs = new ArrayList<>();
        for (Aspect axis : axes) {
            axes.stream().filter(other -> other.compareTo(axis) > 0).forEach(other -> pairs.add(new Pair(axis, other)));
            if (axis != Aspect.SCHEDULE) {
                pairs.add(new Pair(Aspect.RECOMPUTE, axis));
            }
        }
        pairs.add(new Pair(Aspect.SHARDING, Aspect.TENSOR));
        pairs.add(new Pair(Aspect.ATTENTION, Aspect.TENSOR));
        pairs.add(new Pair(Aspect.ATTENTION, second));
        pairs.add(new Pair(Aspect.SEQUENCE_PARALLEL, Aspect.CONTEXT));
        pairs.add(new Pair(Aspect.SEQUENCE_PARALLEL, second));
        return pairs;
    }

    private static Set<String> missing(List<Layout> layouts, List<Pair> pairs) {
        Set<String> missing = new TreeSet<>();
        for (Pair pair : pairs) {
            for (String one : pair.one().values) {
                for (String other : pair.other().values) {
                    if (layouts.stream()
                            .noneMatch(each -> one.equals(pair.one().value.apply(each))
                                    && other.equals(pair.other().value.apply(each)))) {
                        missing.add(pair.one() + " " + one + " with " + pair.other() + " " + other);
                    }
                }
            }
        }
        Stream<Layout> pipelines =
                layouts.stream().filter(each -> each.extents().pipeline() > 1);
        List<String> used = pipelines.map(each -> each.ways().schedule()).toList();
        SCHEDULES.stream()
                .filter(schedule -> !used.contains(schedule))
                .forEach(schedule -> missing.add("schedule " + schedule));
        return missing;
    }
}
