package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Writes down kernel calls and counts open tensors. */
final class FakeDevice {
    final List<String> calls = new ArrayList<>();
    final List<FakeTensor> allocated = new ArrayList<>();
    boolean has8Bit = true;

    Device device() {
        return fake(Device.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "allocate" -> allocate((MemoryCategory) arguments[0], (Shape) arguments[1], (DType) arguments[2]);
            case "newQueue" -> fake(Queue.class, (queue, operation, none) -> null);
            case "kernels" -> kernels();
            case "info" -> new DeviceInfo("fake", 0, "fake device", "none", 0);
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    Parameter parameter(String name, long... dims) {
        var shape = Shape.of(dims);
        var spec = new ParameterSpec(name, List.of(ParameterPart.whole(name, shape)), Initialization.ONES);
        return fake(Parameter.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "spec" -> spec;
            case "firstElement" -> 0L;
            default -> new FakeTensor(name + "." + method.getName(), shape, DType.FP32);
        });
    }

    long open() {
        return allocated.stream().filter(tensor -> tensor.closed == 0).count();
    }

    private Tensor allocate(MemoryCategory category, Shape shape, DType dtype) {
        var tensor = new FakeTensor(category.name() + allocated.size(), shape, dtype);
        allocated.add(tensor);
        return tensor;
    }

    private Kernels kernels() {
        InvocationHandler write = (proxy, method, arguments) -> {
            var words = Arrays.stream(arguments)
                    .skip(method.getName().equals("fill") ? 2 : 1)
                    .map(String::valueOf)
                    .toList();
            calls.add(method.getName() + " " + String.join(" ", words));
            return null;
        };
        return fake(Kernels.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "optimizer" -> fake(OptimizerKernels.class, write);
            case "find" -> has8Bit ? Optional.of(fake(AdamW8BitKernels.class, write)) : Optional.empty();
            default -> fake(ElementwiseKernels.class, write);
        });
    }

    private static <T> T fake(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(FakeDevice.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Fails when it is closed twice. */
    static final class FakeTensor implements Tensor {
        private final String name;
        private final Shape shape;
        private final DType dtype;
        private int closed;

        FakeTensor(String name, Shape shape, DType dtype) {
            this.name = name;
            this.shape = shape;
            this.dtype = dtype;
        }

        @Override
        public Shape shape() {
            return shape;
        }

        @Override
        public DType dtype() {
            return dtype;
        }

        @Override
        public Tensor view(long elementOffset, Shape window) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            if (++closed > 1) {
                throw new AssertionError(name + " closed twice");
            }
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
