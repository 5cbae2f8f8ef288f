package io.hirundo.modelllama.internal;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.Tensor;

/** A scalar weight. */
final class ScalarParameter implements Parameter {
    final String name;
    double value;
    double gradient;

    ScalarParameter(String name, double value) {
        this.name = name;
        this.value = value;
    }

    @Override
    public ParameterSpec spec() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Tensor value() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Tensor gradient() {
        throw new UnsupportedOperationException();
    }

    @Override
    public String toString() {
        return name;
    }
}
