package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** A complete parameter with its gradient, as layers see it, and the slices of it that ranks own. */
final class __Name__FullParameter implements Parameter {
    private final Device device;
    private final ParameterSpec spec;
    private final DType gradientType;
    private final Tensor value;
    private Tensor gradient;

    __Name__FullParameter(Device device, ParameterSpec spec, DType type) {
        this.device = device;
        this.spec = spec;
        this.gradientType = Parameter.updateType(type);
        this.value = device.allocate(MemoryCategory.WEIGHTS, spec.shape(), type);
    }

    @Override
    public ParameterSpec spec() {
        return spec;
    }

    @Override
    public Tensor value() {
        return value;
    }

    @Override
    public Tensor gradient() {
        if (gradient == null) {
            throw new IllegalStateException("the gradient of " + spec.name() + " is not allocated");
        }
        return gradient;
    }

    void allocateGradient() {
        if (gradient == null) {
            gradient = device.allocate(MemoryCategory.GRADIENTS, spec.shape(), gradientType);
        }
    }

    /** New memory is undefined, so it is zeroed too. */
    void zeroGradient(Queue queue) {
        allocateGradient();
        device.kernels().elementwise().fill(queue, gradient, 0);
    }

    void releaseGradient() {
        if (gradient != null) {
            gradient.close();
            gradient = null;
        }
    }

    /** The first element that a rank owns; that of the next rank is behind its last. */
    long first(int rank, int ranks) {
        return spec.shape().elements() * rank / ranks;
    }

    long count(int rank, int ranks) {
        return first(rank + 1, ranks) - first(rank, ranks);
    }

    /** A rank's slice, for the optimizer: views, because masters and the weights that layers read are the same memory. */
    Parameter slice(int rank, int ranks) {
        return new Slice(this, first(rank, ranks), Shape.of(count(rank, ranks)));
    }

    void close() {
        releaseGradient();
        value.close();
    }

    private record Slice(__Name__FullParameter full, long firstElement, Shape shape) implements Parameter {
        @Override
        public ParameterSpec spec() {
            return full.spec;
        }

        @Override
        public Tensor value() {
            return full.value.view(firstElement, shape);
        }

        @Override
        public Tensor gradient() {
            return full.gradient().view(firstElement, shape);
        }
    }
}
