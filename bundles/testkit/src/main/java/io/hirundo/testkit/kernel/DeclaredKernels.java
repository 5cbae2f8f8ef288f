package io.hirundo.testkit.kernel;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.kernel.KernelFamilies;
import io.hirundo.kernel.Kernels;
import io.hirundo.testkit.fabric.Substitute;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** A device that has the kernels of every device and those that a strategy declares, and no others. */
public final class DeclaredKernels {
    private DeclaredKernels() {}

    /** The device without families that are neither required nor declared. */
    public static Device of(Device device, Set<Class<?>> declared) {
        Set<Class<?>> present = new HashSet<>(KernelFamilies.required());
        present.addAll(declared);
        return Substitute.like(
                Device.class, device, "kernels", (real, arguments) -> limited((Kernels) real.call(), present));
    }

    /** How the work fails on such a device for lack of kernels; empty if it does not. */
    public static Optional<RuntimeException> lacking(Device device, Set<Class<?>> declared, Consumer<Device> work) {
        try {
            work.accept(of(device, declared));
            return Optional.empty();
        } catch (ConfigurationException | NoSuchElementException lacks) {
            return Optional.of(lacks);
        }
    }

    /** The declared families without which the work succeeds too. */
    public static List<Class<?>> unneeded(Device device, Set<Class<?>> declared, Consumer<Device> work) {
        List<Class<?>> unneeded = new ArrayList<>();
        for (Class<?> family : declared) {
            Set<Class<?>> others = new HashSet<>(declared);
            others.remove(family);
            if (!KernelFamilies.required().contains(family)
                    && lacking(device, others, work).isEmpty()) {
                unneeded.add(family);
            }
        }
        return unneeded;
    }

    private static Kernels limited(Kernels kernels, Set<Class<?>> present) {
        return (Kernels) Proxy.newProxyInstance(
                Kernels.class.getClassLoader(), new Class<?>[] {Kernels.class}, (proxy, method, arguments) -> {
                    boolean lacks = family(method, arguments)
                            .filter(family -> !present.contains(family))
                            .isPresent();
                    return lacks ? Optional.empty() : invoke(kernels, method, arguments);
                });
    }

    /** The family that a call looks up; empty for a family that every device has. */
    private static Optional<Class<?>> family(Method method, Object[] arguments) {
        if (method.getName().equals("find")) {
            return Optional.of((Class<?>) arguments[0]);
        }
        return method.getGenericReturnType() instanceof ParameterizedType optional
                ? Optional.of((Class<?>) optional.getActualTypeArguments()[0])
                : Optional.empty();
    }

    private static Object invoke(Kernels kernels, Method method, Object[] arguments) throws Throwable {
        try {
            method.setAccessible(true);
            return method.invoke(kernels, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
