package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.lib.engine.conversion.ConvertedForms;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankGemmState;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Compares the tensors of a run with those of a checkpoint. A rank knows only the run's tensors that it has a part of, so ranks exchange
 * one bit per tensor of the checkpoint.
 *
 * @param problem why the checkpoint cannot be loaded; empty if it can
 * @param missing tensors of the run that the checkpoint lacks, in order
 * @param unexpected tensors that only the checkpoint has, in order
 * @param forgotten missing tensors of {@link RankGemmState}, without which a run can start, in order
 * @param memories kinds of GEMM state in the checkpoint, if it can list them
 * @param conversions of optimizer state that the checkpoint has in another form, on any rank
 * @param keys tensors of the checkpoint, if it can list them
 */
record TensorComparison(
        String problem,
        List<String> missing,
        List<String> unexpected,
        List<String> forgotten,
        SortedSet<String> memories,
        SortedSet<String> conversions,
        Set<String> keys) {
    TensorComparison {
        missing = List.copyOf(missing);
        unexpected = List.copyOf(unexpected);
        forgotten = List.copyOf(forgotten);
        memories = Collections.unmodifiableSortedSet(new TreeSet<>(memories));
        conversions = Collections.unmodifiableSortedSet(new TreeSet<>(conversions));
        keys = Set.copyOf(keys);
    }

    /** The result for a checkpoint that was not compared. */
    static TensorComparison none(String problem) {
        return new TensorComparison(
                problem, List.of(), List.of(), List.of(), new TreeSet<>(), new TreeSet<>(), Set.of());
    }

    /**
     * The view of one rank.
     *
     * @param keys tensors of the checkpoint, in the same order on all ranks
     * @param own tensors of the run that this rank has a part of, or from which it converts its part
     * @param conversions of this rank's optimizer state
     */
    private record RankView(String problem, List<String> keys, Set<String> own, Set<String> conversions) {
        static RankView of(CheckpointSession session, CheckpointInfo checkpoint, RankRun part, Optimizer optimizer) {
            Set<String> own =
                    part.state().shards().stream().map(StateShard::key).collect(Collectors.toSet());
            try {
                return session.keys(checkpoint)
                        .map(keys -> of(
                                List.copyOf(new TreeSet<>(keys)),
                                own,
                                part.state().convertedForms(optimizer, keys)))
                        // A strategy that cannot list tensors fails when it loads. GEMM state is optional, so it is not
                        // loaded then.
                        .orElseGet(() -> new RankView(
                                "",
                                List.of(),
                                own.stream().filter(RankGemmState::isKey).collect(Collectors.toSet()),
                                Set.of()));
            } catch (CheckpointException damage) {
                return new RankView(damage.getMessage().replaceAll("\\s+", " "), List.of(), Set.of(), Set.of());
            }
        }

        private static RankView of(List<String> keys, Set<String> own, ConvertedForms forms) {
            return new RankView(
                    "", keys, forms.insteadOf(own), forms.descriptions().collect(Collectors.toSet()));
        }

        /** The {@link #keys} that this rank has, as bits. */
        BitSet present() {
            var bits = new BitSet();
            for (int index = 0; index < keys.size(); index++) {
                bits.set(index, own.contains(keys.get(index)));
            }
            return bits;
        }
    }

    /** Collective. */
    static TensorComparison of(LocalRun run, CheckpointInfo checkpoint, Function<RankRun, CheckpointSession> sessions) {
        Optimizer optimizer = run.strategies().step().optimizer();
        List<RankView> views = run.onEachRank(part -> RankView.of(sessions.apply(part), checkpoint, part, optimizer));
        String problem = views.stream()
                .map(RankView::problem)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
        var present = new BitSet();
        var missing = new TreeSet<String>();
        var conversions = new TreeSet<String>();
        for (RankView view : views) {
            present.or(view.present());
            conversions.addAll(view.conversions());
            view.own().stream()
                    .filter(key -> Collections.binarySearch(view.keys(), key) < 0)
                    .forEach(missing::add);
        }
        for (String received : run.exchange(text(problem, present, conversions, missing))) {
            List<String> lines = received.lines().toList();
            problem = problem.isEmpty() ? lines.get(0) : problem;
            present.or(BitSet.valueOf(HexFormat.of().parseHex(lines.get(1))));
            conversions.addAll(List.of(lines.get(2).split("\\|")));
            missing.addAll(lines.subList(3, lines.size()));
        }
        var forgotten = missing.stream().filter(RankGemmState::isKey).toList();
        var unexpected = others(views.getFirst().keys(), present).stream()
                .filter(key -> !RankGemmState.isKey(key))
                .toList();
        missing.removeIf(RankGemmState::isKey);
        conversions.remove("");
        List<String> keys = views.getFirst().keys();
        return new TensorComparison(
                problem,
                List.copyOf(missing),
                unexpected,
                forgotten,
                RankGemmState.namesIn(keys),
                conversions,
                Set.copyOf(keys));
    }

    /** As this, for a run that takes the weights alone: its other state begins as in a new run. */
    TensorComparison ofWeights(LocalRun run) {
        List<String> begun = run
                .onEachRank(part -> part.state().shards().stream()
                        .map(StateShard::key)
                        .filter(RankGemmState::isKey)
                        .toList())
                .stream()
                .flatMap(List::stream)
                .distinct()
                .toList();
        return new TensorComparison(
                problem, weights(missing), weights(unexpected), begun, memories, new TreeSet<>(), keys);
    }

    private static List<String> weights(List<String> keys) {
        return keys.stream()
                .filter(key -> key.startsWith(ModelWeights.KEY_PREFIX))
                .toList();
    }

    /** Why tensors are {@link #forgotten}. */
    String whyForgotten() {
        SortedSet<String> wanted = RankGemmState.namesIn(forgotten);
        if (memories.isEmpty()) {
            return "it has no GEMM state";
        }
        return memories.containsAll(wanted)
                ? "it has " + String.join(", ", wanted) + " of other layers only"
                : "it has " + String.join(", ", memories) + ", and the options of the run's precision ask for "
                        + String.join(", ", wanted);
    }

    private static String text(String problem, BitSet present, Set<String> conversions, Set<String> missing) {
        var lines = new ArrayList<>(
                List.of(problem, HexFormat.of().formatHex(present.toByteArray()), String.join("|", conversions)));
        lines.addAll(missing);
        return String.join("\n", lines) + "\n";
    }

    private static List<String> others(List<String> keys, BitSet present) {
        var others = new ArrayList<String>();
        for (int index = present.nextClearBit(0); index < keys.size(); index = present.nextClearBit(index + 1)) {
            others.add(keys.get(index));
        }
        return others;
    }
}
