package __package__;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.host.HostTensor;
import io.hirundo.kernel.host.HostWorkers;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.strategy.HirundoStrategy;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.osgi.service.component.annotations.Component;

/** The kernels on {@code cpu}: one pass over memory in FP32; other dtypes run on the composed kernels. */
@Component(service = StrategyFactory.class)
@HirundoStrategy(kind = KernelProvider.KIND, name = "__name__")
public final class __Name__Cpu implements KernelProvider<__Name__Kernels> {
    @Override
    public Class<__Name__Kernels> family() {
        return __Name__Kernels.class;
    }

    @Override
    public String backend() {
        return "cpu";
    }

    @Override
    public Tier tier() {
        return Tier.FAST;
    }

    @Override
    public Set<Class<?>> composes() {
        return new __Name__Composed().composes();
    }

    /** A plan's device does not compute, and has no threads and no memory that one could read. */
    @Override
    public __Name__Kernels open(Device device) {
        __Name__Kernels composed = new __Name__Composed().open(device);
        return device.adapt(HostWorkers.class)
                .<__Name__Kernels>map(workers -> new OnHost(workers, composed))
                .orElse(composed);
    }

    private record OnHost(HostWorkers workers, __Name__Kernels composed) implements __Name__Kernels {
        private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED;

        /** Elements of a task. */
        private static final long BLOCK = 1 << 14;

        @Override
        public void forward(Queue queue, Tensor x, Tensor y) {
            if (x.dtype() != DType.FP32) {
                composed.forward(queue, x, y);
                return;
            }
            MemorySegment from = memory("x", x, x.elements());
            MemorySegment to = memory("y", y, x.elements());
            blocks(x.elements(), (first, end) -> {
                for (long i = first; i < end; i++) {
                    float positive = Math.max(0, from.getAtIndex(FP32, i));
                    to.setAtIndex(FP32, i, positive * positive);
                }
            });
        }

        @Override
        public void backward(Queue queue, Tensor x, Tensor dy, Tensor dx) {
            if (x.dtype() != DType.FP32) {
                composed.backward(queue, x, dy, dx);
                return;
            }
            MemorySegment from = memory("x", x, x.elements());
            MemorySegment gradient = memory("dy", dy, x.elements());
            MemorySegment to = memory("dx", dx, x.elements());
            blocks(x.elements(), (first, end) -> {
                for (long i = first; i < end; i++) {
                    to.setAtIndex(FP32, i, 2 * Math.max(0, from.getAtIndex(FP32, i)) * gradient.getAtIndex(FP32, i));
                }
            });
        }

        private static MemorySegment memory(String operand, Tensor tensor, long elements) {
            if (tensor.dtype() != DType.FP32 || tensor.elements() != elements) {
                throw new IllegalArgumentException(operand + " is " + tensor.shape() + " " + tensor.dtype()
                        + " (allowed: " + elements + " elements of FP32)");
            }
            return HostTensor.of(operand, tensor).memory();
        }

        private interface Range {
            void run(long first, long end);
        }

        /** Cut by extents alone, so that results do not depend on the number of threads. */
        private void blocks(long elements, Range body) {
            int tasks = Math.toIntExact(Math.ceilDiv(elements, BLOCK));
            workers.run(tasks, task -> body.run(task * BLOCK, Math.min(elements, (task + 1) * BLOCK)));
        }
    }
}
