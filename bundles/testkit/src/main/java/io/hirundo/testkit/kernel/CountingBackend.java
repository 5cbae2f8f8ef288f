package io.hirundo.testkit.kernel;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.Transfer;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.fabric.Substitute;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A backend whose devices account for memory as others do, but compute nothing, as in a plan. */
public record CountingBackend(ComputeBackend base) implements WrappedBackend {
    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        Device real = base.open(ordinal, ledger);
        var kernels = like(Kernels.class, real.kernels());
        var transfer = idle(Transfer.class);
        Device device = Substitute.like(Device.class, real, "computes", (_, _) -> false);
        device = Substitute.like(Device.class, device, "kernels", (_, _) -> kernels);
        device = Substitute.like(Device.class, device, "transfer", (_, _) -> transfer);
        device = Substitute.like(Device.class, device, "adapt", (_, _) -> Optional.empty());
        return Substitute.like(Device.class, device, "allocate", (call, _) -> new Counted((Tensor) call.call()));
    }

    /** Families that do nothing, where the device has them. */
    private static Kernels like(Class<Kernels> type, Kernels real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    Object found = method.invoke(real, arguments);
                    return found instanceof Optional<?> maybe ? maybe.map(CountingBackend::idleAs) : idleAs(found);
                }));
    }

    private static Object idleAs(Object family) {
        // A class has only the interfaces that it names itself: those of its superclasses are theirs.
        Set<Class<?>> types = new LinkedHashSet<>();
        for (Class<?> type = family.getClass(); type != null; type = type.getSuperclass()) {
            types.addAll(List.of(type.getInterfaces()));
        }
        return idle(types.toArray(Class<?>[]::new));
    }

    private static <T> T idle(Class<T> type) {
        return type.cast(idle(new Class<?>[] {type}));
    }

    /** Does nothing, and answers yes. */
    private static Object idle(Class<?>... types) {
        return Proxy.newProxyInstance(
                types[0].getClassLoader(),
                types,
                (_, method, _) -> method.getReturnType() == boolean.class ? true : null);
    }

    /** Memory that nobody can read. */
    private record Counted(Tensor memory) implements Tensor {
        @Override
        public Shape shape() {
            return memory.shape();
        }

        @Override
        public DType dtype() {
            return memory.dtype();
        }

        @Override
        public Tensor view(long elementOffset, Shape window) {
            return new Counted(memory.view(elementOffset, window));
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
