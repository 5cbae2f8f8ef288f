package io.hirundo.optimizermuon.internal;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A part of a complete parameter, which is updated as a matrix of its own: query, key and value weights, for instance, are not orthogonal to each
 * other.
 *
 * @param complete the parameter
 * @param first where the part begins in it
 * @param spec of the part alone
 */
record Matrix(Parameter complete, long first, ParameterSpec spec) implements Parameter {
    /** All of a parameter. */
    static List<Matrix> of(Parameter complete) {
        var matrices = new ArrayList<Matrix>();
        long first = 0;
        for (ParameterPart part : complete.spec().parts()) {
            matrices.add(new Matrix(
                    complete,
                    first,
                    new ParameterSpec(
                            complete.spec().name(),
                            List.of(part),
                            complete.spec().initialization())));
            first += part.shape().elements();
        }
        return matrices;
    }

    /** [rows, columns]. */
    Shape shape() {
        return spec.parts().getFirst().shape();
    }

    /** The elements of a tensor of the parameter, as a vector. */
    Tensor in(Tensor tensor) {
        return tensor.view(first, Shape.of(shape().elements()));
    }

    @Override
    public Tensor value() {
        return in(complete.value());
    }

    @Override
    public Tensor gradient() {
        return in(complete.gradient());
    }
}
