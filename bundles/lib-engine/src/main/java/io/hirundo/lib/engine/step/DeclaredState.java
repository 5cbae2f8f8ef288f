package io.hirundo.lib.engine.step;

import io.hirundo.ConfigurationException;
import io.hirundo.Reason;
import io.hirundo.device.Device;
import io.hirundo.lib.engine.step.OptimizerState.Key;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Compares the state of an optimizer with what it declares: other state would be lost silently when a run resumes. */
public final class DeclaredState {
    private DeclaredState() {}

    /**
     * Binds the optimizer. The caller closes the result.
     *
     * @throws ConfigurationException if it lists a tensor whose name {@link StateSpec} does not allow, declares its state and lists other
     *     tensors, or converts to state that it does not declare
     */
    public static OptimizerRun bind(Optimizer optimizer, Device device, List<Parameter> parameters) {
        OptimizerRun run = optimizer.bind(device, parameters);
        try {
            run.state().forEach(DeclaredState::requireName);
            require(optimizer, parameters, run.state());
            parameters.forEach(parameter -> requireConversions(optimizer, parameter));
            return run;
        } catch (RuntimeException | Error failure) {
            run.close();
            throw failure;
        }
    }

    /** Names are part of checkpoint keys, and ranks exchange them as text. An optimizer that declares nothing has not checked them. */
    private static void requireName(State state) {
        try {
            new StateSpec(state.name(), state.tensor().dtype());
        } catch (IllegalArgumentException problem) {
            throw new ConfigurationException(
                    "optimizer: " + Reason.of(problem) + "; choose another optimizer, or correct its state()", problem);
        }
    }

    private static void require(Optimizer optimizer, List<Parameter> parameters, List<State> listed) {
        if (parameters.stream()
                .anyMatch(parameter -> declared(optimizer, parameter).isEmpty())) {
            return;
        }
        var expected = new TreeSet<String>();
        for (Parameter parameter : parameters) {
            for (StateSpec spec : declared(optimizer, parameter).orElseThrow()) {
                expected.add(form(key(parameter, spec), parameter.value().elements() / spec.block(), spec.dtype()));
            }
        }
        var actual = new TreeSet<String>();
        for (State state : listed) {
            actual.add(form(
                    OptimizerState.key(state.parameter(), state.name()),
                    state.tensor().elements(),
                    state.tensor().dtype()));
        }
        if (!expected.equals(actual)) {
            throw new ConfigurationException(
                    "optimizer: it declares " + firstOf(expected, actual) + " and keeps " + firstOf(actual, expected)
                            + ", so a resumed run would differ; choose another optimizer, or correct its declaredState()");
        }
    }

    private static void requireConversions(Optimizer optimizer, Parameter parameter) {
        List<StateSpec> specs = declared(optimizer, parameter).orElse(List.of());
        for (StateConversion conversion : conversions(optimizer, parameter)) {
            if (conversion.from().isEmpty() || conversion.to().isEmpty() || !specs.containsAll(conversion.to())) {
                throw new ConfigurationException(
                        "optimizer: it converts to " + conversion.to() + " from " + conversion.from() + " for "
                                + parameter.spec().name() + " (allowed: to some of" + " its declared state, " + specs
                                + ", from at least one tensor); choose another optimizer, or correct its conversions()");
            }
        }
    }

    static List<StateConversion> conversions(Optimizer optimizer, Parameter parameter) {
        return optimizer.conversions(parameter.spec(), parameter.value().dtype());
    }

    private static String form(Key key, long elements, DType dtype) {
        return key.name() + " of " + key.parameter() + " from " + key.firstElement() + " (" + elements + " " + dtype
                + ")";
    }

    /** One that the others lack. */
    private static String firstOf(Set<String> some, Set<String> others) {
        return some.stream().filter(form -> !others.contains(form)).findFirst().orElse("nothing else");
    }

    /** The state tensors whose zeros are right before step 1 alone. */
    static Set<Key> counting(Optimizer optimizer, List<Parameter> parameters) {
        return parameters.stream()
                .flatMap(parameter -> declared(optimizer, parameter).orElse(List.of()).stream()
                        .filter(StateSpec::countsSteps)
                        .map(spec -> key(parameter, spec)))
                .collect(Collectors.toSet());
    }

    private static Optional<List<StateSpec>> declared(Optimizer optimizer, Parameter parameter) {
        return optimizer.declaredState(parameter.spec(), parameter.value().dtype());
    }

    static Key key(Parameter parameter, StateSpec spec) {
        return new Key(parameter.spec().name(), parameter.firstElement() / spec.block(), spec.name());
    }
}
