package io.hirundo.lib.engine.layer;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The parameters of a model on one rank. Layers declare parameters while the model is built. The data-parallel strategy allocates the
 * memory of all parameters afterwards, because it may put them into one contiguous buffer.
 */
public final class ParameterStore {
    private final Map<String, DeclaredParameter> byName = new LinkedHashMap<>();
    private final UnaryOperator<ParameterSpec> sharing;

    /** {@code sharing} adds to a declared parameter the other pipeline stages that hold it too (tied embeddings). */
    public ParameterStore(UnaryOperator<ParameterSpec> sharing) {
        this.sharing = sharing;
    }

    /** Declares a parameter. Layers that declare the same name share one parameter. */
    public Parameter declare(ParameterSpec declared) {
        ParameterSpec spec = sharing.apply(declared);
        var known = byName.computeIfAbsent(spec.name(), name -> new DeclaredParameter(spec));
        if (!known.spec.parts().equals(spec.parts())) {
            throw new IllegalArgumentException("parameter " + spec.name() + " is declared with two shapes");
        }
        return known;
    }

    /** All parameters in order of declaration. */
    public List<Parameter> all() {
        return List.copyOf(byName.values());
    }

    /** Assigns memory to the declared parameters, matched by name. */
    public void bind(List<Parameter> memory) {
        memory.forEach(parameter -> byName.get(parameter.spec().name()).memory = parameter);
    }

    private static final class DeclaredParameter implements Parameter {
        private final ParameterSpec spec;
        private Parameter memory;

        DeclaredParameter(ParameterSpec spec) {
            this.spec = spec;
        }

        @Override
        public ParameterSpec spec() {
            return spec;
        }

        @Override
        public Tensor value() {
            return memory.value();
        }

        @Override
        public Tensor gradient() {
            return memory.gradient();
        }
    }
}
