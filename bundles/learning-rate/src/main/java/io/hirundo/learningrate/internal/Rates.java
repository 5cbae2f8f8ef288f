package io.hirundo.learningrate.internal;

import io.hirundo.ConfigurationException;

/** Checks that the schedules share. */
final class Rates {
    private Rates() {}

    /** Rejects rates that no schedule can have. */
    static void check(double peak, Warmup warmup, double finalRate) {
        require("peak", peak, (float) peak > 0 && Float.isFinite((float) peak), "above 0, also in FP32");
        warmup.check();
        require(
                "finalRate",
                finalRate,
                finalRate >= 0 && finalRate <= peak,
                "at least 0 and at most the peak, " + peak);
    }

    static void require(String name, Object value, boolean allowed, String what) {
        if (!allowed) {
            throw new ConfigurationException(
                    "learningRate.options." + name + ": " + value + " is wrong (allowed: " + what + ")");
        }
    }
}
