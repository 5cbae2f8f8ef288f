package io.hirundo.lib.engine.step;

import io.hirundo.lib.engine.conversion.ConvertedForms;
import io.hirundo.lib.engine.conversion.HostConversion;
import io.hirundo.lib.engine.step.OptimizerState.Key;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** State of a run of elements that the next optimizer has in another form than the current one. */
record RunConversion(StateConversion conversion, Parameter run) {
    /**
     * The conversions that the next optimizer needs.
     *
     * @param present state of the current optimizer
     */
    static List<RunConversion> of(Optimizer next, List<Parameter> parameters, Map<Key, Tensor> present) {
        return parameters.stream()
                .flatMap(run -> DeclaredState.conversions(next, run).stream()
                        .map(conversion -> new RunConversion(conversion, run)))
                .filter(each -> each.isNeeded(present))
                .toList();
    }

    private boolean isNeeded(Map<Key, Tensor> present) {
        return HostConversion.isDivisible(
                        conversion, run.firstElement(), run.value().elements())
                && ConvertedForms.isNeeded(conversion, spec -> isForm(spec, present.get(key(spec))));
    }

    private boolean isForm(StateSpec spec, Tensor tensor) {
        return tensor != null
                && tensor.dtype() == spec.dtype()
                && tensor.elements() == run.value().elements() / spec.block();
    }

    Stream<Key> from() {
        return conversion.from().stream().map(this::key);
    }

    Stream<Key> to() {
        return conversion.to().stream().map(this::key);
    }

    private Key key(StateSpec spec) {
        return DeclaredState.key(run, spec);
    }

    /**
     * Converts.
     *
     * @param present state of the current optimizer
     * @param next filled
     */
    void run(HostConversion host, Map<Key, Tensor> present, Map<Key, Tensor> next) {
        host.convert(
                conversion,
                run.value().elements(),
                from().map(present::get).toList(),
                to().map(next::get).toList());
    }
}
