package io.hirundo.lib.engine.step;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.engine.conversion.ConvertedForms;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.mesh.Axis;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.Ownership;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks that another optimizer can work with the parameters as the data ranks own them. */
public final class OwnershipCheck {
    private OwnershipCheck() {}

    /**
     * Checks the parameters of a rank. The message names what a restart with the next optimizer needs.
     *
     * @throws ConfigurationException if the next optimizer needs complete parameters or blocks where ranks own any runs of elements
     */
    public static void require(RankModel model, Optimizer current, Optimizer next) {
        if (model.rank().along(Axis.CONTEXT, Axis.DATA).size() == 1) {
            return;
        }
        List<ParameterSpec> specs =
                model.parameterSpecs().stream().flatMap(List::stream).toList();
        specs.stream()
                .filter(spec -> !suffices(model.ownership(spec), next.ownership(spec)))
                .findFirst()
                .ifPresent(spec -> {
                    throw new ConfigurationException("optimizer: it needs " + need(next.ownership(spec)) + " of "
                            + spec.name() + " on one data rank, and the run shards its elements;"
                            + " stop it, and continue with the new optimizer and --resume"
                            + differences(specs, current, next, model.parameterType()));
                });
    }

    /** Parameters that are complete are complete blocks too. */
    private static boolean suffices(Ownership owned, Ownership needed) {
        return switch (needed) {
            case ELEMENTS -> true;
            case BLOCKS -> owned != Ownership.ELEMENTS;
            case TENSOR -> owned == Ownership.TENSOR;
        };
    }

    private static String need(Ownership needed) {
        return needed == Ownership.TENSOR ? "all" : "blocks of " + Ownership.BLOCK_ELEMENTS + " elements";
    }

    /** The settings that allow a resume where the optimizers keep different state; empty where they keep the same, or the next one converts it. */
    private static String differences(List<ParameterSpec> specs, Optimizer current, Optimizer next, DType dtype) {
        Set<String> missing = new TreeSet<>();
        Set<String> unexpected = new TreeSet<>();
        for (ParameterSpec spec : specs) {
            Set<String> had = names(current, spec, dtype);
            Set<String> needed = names(next, spec, dtype);
            for (StateConversion conversion : next.conversions(spec, dtype)) {
                if (ConvertedForms.isNeeded(conversion, state -> had.contains(state.name()))) {
                    had.removeAll(names(conversion.from()));
                    needed.removeAll(names(conversion.to()));
                }
            }
            needed.stream().filter(name -> !had.contains(name)).forEach(missing::add);
            had.stream().filter(name -> !needed.contains(name)).forEach(unexpected::add);
        }
        return setting("checkpoint.allowMissing", missing) + setting("checkpoint.allowUnexpected", unexpected);
    }

    private static Set<String> names(Optimizer optimizer, ParameterSpec spec, DType dtype) {
        return names(optimizer.declaredState(spec, dtype).orElse(List.of()));
    }

    private static Set<String> names(List<StateSpec> specs) {
        return specs.stream().map(StateSpec::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String setting(String path, Set<String> names) {
        return names.isEmpty()
                ? ""
                : names.stream()
                        .map(name -> '"' + ModelWeights.OPTIMIZER_PREFIX + name + "/*\"")
                        .collect(Collectors.joining(", ", " --set '" + path + "=[", "]'"));
    }
}
