package io.hirundo.lib.optimizer;

import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A state tensor with one element for each block of a run's elements, as the trainer saves it: like a parameter with narrower rows. Blocks do not
 * cross rows of published tensors, so every layout that divides rows at blocks has the same ones.
 */
record BlockState(ParameterSpec spec, long firstElement, Tensor value) implements Parameter {
    /**
     * For a run.
     *
     * @param block elements of the run for each element of the state
     */
    static BlockState of(Parameter run, int block, Tensor value) {
        List<ParameterPart> parts =
                run.spec().parts().stream().map(part -> narrowed(part, block)).toList();
        var spec = new ParameterSpec(run.spec().name(), parts, run.spec().initialization());
        return new BlockState(spec, run.firstElement() / block, value);
    }

    private static ParameterPart narrowed(ParameterPart part, int block) {
        var offset = new ArrayList<>(part.offset());
        int last = offset.size() - 1;
        offset.set(last, offset.get(last) / block);
        return new ParameterPart(
                part.path(),
                narrowed(part.globalShape(), block),
                offset,
                narrowed(part.shape(), block),
                part.replicas());
    }

    private static Shape narrowed(Shape shape, int block) {
        var dims = new ArrayList<>(shape.dims());
        int last = dims.size() - 1;
        dims.set(last, dims.get(last) / block);
        return new Shape(dims);
    }

    @Override
    public Tensor gradient() {
        throw new UnsupportedOperationException("optimizer state has no gradient");
    }
}
