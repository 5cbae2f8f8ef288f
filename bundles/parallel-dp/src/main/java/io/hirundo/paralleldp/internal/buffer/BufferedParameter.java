package io.hirundo.paralleldp.internal.buffer;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.precision.CodedWeight;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** A parameter of a buffer in its shape, as layers see it. */
record BufferedParameter(ParameterSpec spec, ParameterBuffer buffer, BucketLayout.Place place) implements Parameter {
    @Override
    public Tensor value() {
        return buffer.weights().whole(place, spec.name()).view(0, spec.shape());
    }

    @Override
    public Tensor gradient() {
        return buffer.gradients(spec.name()).view(place.first(), spec.shape());
    }

    /** If it was gathered quantized. */
    Optional<CodedWeight> coded() {
        return buffer.weights().coded(place, spec.name());
    }

    /**
     * A run of a parameter's elements in this rank's slice of a buffer: its masters, as the optimizer sees them.
     *
     * @param firstOfSlice where it begins in the slice
     * @param firstElement where it begins in the parameter
     */
    record Run(ParameterSpec spec, ParameterBuffer buffer, long firstOfSlice, long firstElement, long elements)
            implements Parameter {
        @Override
        public Tensor value() {
            return buffer.weights().masters().view(firstOfSlice, Shape.of(elements));
        }

        @Override
        public Tensor gradient() {
            return buffer.gradientSlice().view(firstOfSlice, Shape.of(elements));
        }
    }
}
