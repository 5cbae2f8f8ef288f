package org.example.relu;

import io.hirundo.ConfigurationException;
import io.hirundo.model.Activation;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import java.util.List;
import java.util.Set;

/** A kind of layer: ReLU of the residual stream. */
record Relu(String name, Activation on) implements LayerSpec<Relu.Running> {
    @Override
    public List<Activation> inputs() {
        return List.of(on);
    }

    @Override
    public List<Activation> outputs() {
        return List.of(on);
    }

    /** With the kernels of the device. */
    record Running(ReluKernels kernels) implements Layer {
        @Override
        public List<Parameter> parameters() {
            return List.of();
        }
    }

    /** Makes it run on whatever elements a rank has. */
    record Provider() implements LayerProvider<Running, Relu> {
        @Override
        public Class<Relu> specType() {
            return Relu.class;
        }

        @Override
        public Set<Class<?>> kernels(Relu spec) {
            return Set.of(ReluKernels.class);
        }

        @Override
        public Running create(Relu spec, LayerScope scope) {
            return new Running(scope.device()
                    .kernels()
                    .find(ReluKernels.class)
                    .orElseThrow(() -> new ConfigurationException(
                            "device: there are no ReluKernels, which layer " + spec.name() + " needs")));
        }
    }
}
