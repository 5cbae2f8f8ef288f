package io.hirundo.lib.optimizer;

import io.hirundo.ConfigurationException;

/** Checks options of optimizers beyond the inclusive bounds of their settings. */
public final class OptionCheck {
    private OptionCheck() {}

    /**
     * A share of earlier values. With 1 no gradient would fade or enter.
     *
     * @throws ConfigurationException if it is negative or not below 1
     */
    public static void requireBelowOne(String name, double value, double usual) {
        require(name, value, value >= 0 && value < 1, "at least 0 and below 1", usual);
    }

    /**
     * Also rejects what is infinite in FP32, in which kernels compute.
     *
     * @param name below {@code optimizer.options}
     * @param range of allowed values, for the message
     * @param usual an allowed value, for the remedy
     * @throws ConfigurationException if it is not allowed
     */
    public static void require(String name, double value, boolean allowed, String range, double usual) {
        if (!allowed || Float.isInfinite((float) value)) {
            String path = "optimizer.options." + name;
            throw new ConfigurationException(path + ": " + value + " is wrong (allowed: " + range
                    + ", finite in FP32); set " + path + "=" + usual);
        }
    }
}
