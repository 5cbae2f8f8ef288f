package io.hirundo.lib.engine.step;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.engine.conversion.ConvertedForms;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.rank.StringAllGather;
import io.hirundo.lib.engine.step.OptimizerState.Key;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The next optimizer of a rank, and what it takes over from the current one. A tensor carries over if both optimizers have it for a
 * parameter, under one name, or if the next one converts it from another form. What only the next one has begins at zero, and what only
 * the current one has is dropped. If a tensor that {@linkplain io.hirundo.optimizer.StateSpec#countsSteps counts steps} would begin at
 * zero on any rank, all state does: next to moments of many steps, bias correction would scale the update wrongly.
 */
public final class OptimizerStateTransfer implements AutoCloseable {
    private static final String PREFIX = "optimizer state: ";

    private final OptimizerRun run;
    private final Set<Key> carried;
    private final List<RunConversion> converted;
    private final Set<String> zero;
    private final Set<String> dropped;
    private final Set<String> restarting;

    private OptimizerStateTransfer(
            OptimizerRun run,
            Set<Key> carried,
            List<RunConversion> converted,
            Set<String> zero,
            Set<String> dropped,
            Set<String> restarting) {
        this.run = run;
        this.carried = carried;
        this.converted = converted;
        this.zero = zero;
        this.dropped = dropped;
        this.restarting = restarting;
    }

    /**
     * Compares state tensors.
     *
     * @param parameters whose state these are
     * @param optimizer the next one
     * @param run the next optimizer, which the result owns
     * @throws ConfigurationException if a tensor of both has another shape or dtype
     */
    static OptimizerStateTransfer of(
            Map<Key, Tensor> present,
            Map<Key, Tensor> next,
            List<Parameter> parameters,
            Optimizer optimizer,
            OptimizerRun run) {
        Set<Key> counting = DeclaredState.counting(optimizer, parameters);
        List<RunConversion> converted = RunConversion.of(optimizer, parameters, present);
        Set<Key> computed = converted.stream().flatMap(RunConversion::to).collect(Collectors.toSet());
        Set<Key> carried = new LinkedHashSet<>();
        Set<String> zero = new TreeSet<>();
        Set<String> restarting = new TreeSet<>();
        next.forEach((key, tensor) -> {
            Tensor old = present.get(key);
            if (old != null) {
                requireSameForm(key, old, tensor);
                carried.add(key);
            } else if (!computed.contains(key)) {
                (counting.contains(key) ? restarting : zero).add(key.name());
            }
        });
        Set<Key> used = converted.stream().flatMap(RunConversion::from).collect(Collectors.toSet());
        Set<String> dropped = new TreeSet<>();
        present.keySet().stream()
                .filter(key -> !next.containsKey(key) && !used.contains(key))
                .forEach(key -> dropped.add(key.name()));
        return new OptimizerStateTransfer(run, carried, converted, zero, dropped, restarting);
    }

    private static void requireSameForm(Key key, Tensor old, Tensor tensor) {
        if (!old.shape().equals(tensor.shape()) || old.dtype() != tensor.dtype()) {
            throw new ConfigurationException("optimizer: it keeps " + key.name() + " of " + key.parameter() + " as "
                    + tensor.shape() + " " + tensor.dtype()
                    + ", and the run has " + old.shape() + " " + old.dtype()
                    + ": its state cannot carry over; begin a new run from the model with model.from");
        }
    }

    OptimizerRun run() {
        return run;
    }

    /** Tensors that both optimizers have. */
    Set<Key> carried() {
        return carried;
    }

    /** What the next optimizer converts from the current one's state. */
    List<RunConversion> converted() {
        return converted;
    }

    /**
     * What becomes of the state on all ranks.
     *
     * @param restarts whether all state begins at zero
     * @param text for the report of the change
     */
    record Outcome(boolean restarts, String text) {}

    /** Collective, because ranks may own parameters with different state. */
    Outcome outcome(Rank rank) {
        var names = new TreeSet<String>();
        carried.forEach(key -> names.add(key.name()));
        var conversions = converted.stream()
                .map(each -> ConvertedForms.description(each.conversion()))
                .collect(Collectors.toSet());
        var own = List.of(names, conversions, zero, dropped, restarting);
        var all = own.stream().map(_ -> new TreeSet<String>()).toList();
        for (String line : StringAllGather.exchange(
                rank, own.stream().map(set -> String.join("|", set)).collect(Collectors.joining(";")))) {
            String[] sets = line.split(";", -1);
            for (int set = 0; set < sets.length; set++) {
                all.get(set).addAll(List.of(sets[set].split("\\|")));
            }
        }
        all.forEach(set -> set.remove(""));
        return new Outcome(!all.get(4).isEmpty(), text(all.get(0), all.get(1), all.get(2), all.get(3), all.get(4)));
    }

    private static String text(
            Set<String> carried, Set<String> converted, Set<String> zero, Set<String> dropped, Set<String> restarting) {
        var parts = new ArrayList<String>();
        if (restarting.isEmpty()) {
            add(parts, carried, " kept");
            parts.addAll(converted);
            addApart(parts, carried, zero, " from zero");
            addApart(parts, carried, dropped, " dropped");
        } else {
            parts.add(restart("the run", restarting));
            add(parts, dropped, " dropped");
        }
        return PREFIX + (parts.isEmpty() ? "none" : String.join("; ", parts));
    }

    /**
     * That state is converted, for the report of a resume.
     *
     * @param where what has the other form
     * @param conversions as {@link ConvertedForms#descriptions} gives them
     */
    public static String converted(String where, Collection<String> conversions) {
        return PREFIX + String.join("; ", conversions) + " of " + where;
    }

    /**
     * That all state begins at zero, for the report of a resume.
     *
     * @param where what lacks the names
     */
    public static String restarted(String where, Set<String> names) {
        return PREFIX + restart(where, names);
    }

    private static String restart(String where, Set<String> names) {
        return "all from zero, with steps counted from 1, because " + where + " has no " + String.join(", ", names);
    }

    /** Some of the names may carry over for other parameters. */
    private static void addApart(List<String> parts, Set<String> carried, Set<String> names, String what) {
        var ofOthers = new TreeSet<>(names);
        ofOthers.retainAll(carried);
        var others = new TreeSet<>(names);
        others.removeAll(carried);
        add(parts, ofOthers, " of other parameters" + what);
        add(parts, others, what);
    }

    private static void add(List<String> parts, Set<String> names, String what) {
        if (!names.isEmpty()) {
            parts.add(String.join(", ", names) + what);
        }
    }

    /** Frees the next optimizer, if it does not take over. */
    @Override
    public void close() {
        run.close();
    }
}
