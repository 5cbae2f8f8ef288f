package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.Tensor;
import java.util.Set;
import org.osgi.service.component.annotations.Component;

/**
 * The kernels on any device, composed of other families. They run in a plan as they are. If they need workspace, take it with {@code
 * device.allocate(MemoryCategory.WORKSPACE, ...)}, and close it at the end of the call: the plan counts it.
 */
@Component(service = StrategyFactory.class)
@HirundoStrategy(kind = KernelProvider.KIND, name = "__name__-composed")
public final class __Name__Composed implements KernelProvider<__Name__Kernels> {
    @Override
    public Class<__Name__Kernels> family() {
        return __Name__Kernels.class;
    }

    @Override
    public Tier tier() {
        return Tier.COMPOSED;
    }

    @Override
    public Set<Class<?>> composes() {
        return Set.of(ElementwiseKernels.class, ArithmeticKernels.class);
    }

    @Override
    public __Name__Kernels open(Device device) {
        return new Composed(
                device.kernels().elementwise(),
                device.kernels().find(ArithmeticKernels.class).orElseThrow());
    }

    private record Composed(ElementwiseKernels elementwise, ArithmeticKernels arithmetic) implements __Name__Kernels {
        @Override
        public void forward(Queue queue, Tensor x, Tensor y) {
            elementwise.fill(queue, y, 0);
            elementwise.maximum(queue, x, y);
            arithmetic.multiply(queue, y, y);
        }

        @Override
        public void backward(Queue queue, Tensor x, Tensor dy, Tensor dx) {
            elementwise.fill(queue, dx, 0);
            elementwise.maximum(queue, x, dx);
            arithmetic.multiply(queue, dy, dx);
            elementwise.scale(queue, dx, 2);
        }
    }
}
