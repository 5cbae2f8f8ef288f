package io.hirundo.lib.optimizer;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.tensor.DType;
import java.util.HashSet;
import java.util.Set;

/** Finds a device's elementwise arithmetic. */
public final class ArithmeticOf {
    private ArithmeticOf() {}

    /** The kernel families of an optimizer that computes with these kernels and {@link WeightUpdates}. */
    public static Set<Class<?>> families(DType parameterType, WeightRounding rounding) {
        Set<Class<?>> families = new HashSet<>(WeightUpdates.kernels(parameterType, rounding));
        families.add(ArithmeticKernels.class);
        return Set.copyOf(families);
    }

    /**
     * The kernels.
     *
     * @param optimizer its name, for the message
     * @throws ConfigurationException if the device has none
     */
    public static ArithmeticKernels device(Device device, String optimizer) {
        return device.kernels()
                .find(ArithmeticKernels.class)
                .orElseThrow(() -> new ConfigurationException(
                        "device: " + device.info().name() + " has no ArithmeticKernels, which the optimizer "
                                + optimizer + " needs; choose the optimizer adamw, or another device"));
    }
}
