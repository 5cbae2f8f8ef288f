package io.hirundo.trainer.internal.profile;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.kernel.Kernels;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A CPU backend whose devices time each call of a kernel: the families are proxies. A device's kernels run in the calling thread, so that
 * a call's wall time is the kernel's. One device, one thread.
 */
final class TimedKernels {
    /** Calls of one kernel. */
    static final class Total {
        long calls;
        long nanos;
        double flops;
        double bytes;

        void add(long callNanos, Work work) {
            calls++;
            nanos += callNanos;
            flops += work.flops();
            bytes += work.bytes();
        }
    }

    private final Map<String, Total> totals = new LinkedHashMap<>();

    /** Totals since the last {@link #clear}, by kernel. */
    Map<String, Total> totals() {
        return totals;
    }

    void clear() {
        totals.clear();
    }

    ComputeBackend wrap(ComputeBackend backend) {
        return proxy(ComputeBackend.class, backend, (method, result, arguments, nanos) -> switch (result) {
            case Device device -> wrap(device);
            case ComputeBackend other -> wrap(other);
            case null, default -> result;
        });
    }

    private Device wrap(Device device) {
        return proxy(
                Device.class,
                device,
                (method, result, arguments, nanos) -> result instanceof Kernels kernels ? families(kernels) : result);
    }

    private Kernels families(Kernels kernels) {
        return proxy(Kernels.class, kernels, (method, result, arguments, nanos) -> switch (result) {
            case Optional<?> family
            when family.isPresent() ->
                Optional.of(
                        method.getName().equals("find")
                                ? family(family.get(), (Class<?>) arguments[0])
                                : family(family.get(), family.get().getClass().getInterfaces()[0]));
            case Optional<?> none -> none;
            case null -> null;
            default -> family(result, method.getReturnType());
        });
    }

    private <K> K family(Object kernels, Class<K> family) {
        String name = family.getSimpleName().replace("Kernels", "");
        return proxy(family, family.cast(kernels), (method, result, arguments, nanos) -> {
            if (method.getReturnType() == void.class) {
                totals.computeIfAbsent(name + "." + method.getName(), _ -> new Total())
                        .add(nanos, Work.of(method.getName(), arguments));
            }
            return result;
        });
    }

    /** What is done with a call's result. */
    private interface After {
        Object apply(Method method, Object result, Object[] arguments, long nanos);
    }

    private static <T> T proxy(Class<T> type, T target, After after) {
        InvocationHandler handler = (_, method, arguments) -> {
            long began = System.nanoTime();
            try {
                Object result = method.invoke(target, arguments);
                return after.apply(method, result, arguments, System.nanoTime() - began);
            } catch (InvocationTargetException failure) {
                throw failure.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(TimedKernels.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
