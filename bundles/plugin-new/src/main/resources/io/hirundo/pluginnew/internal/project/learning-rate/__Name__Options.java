package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code learningRate.options}. Each component's annotation documents and bounds it; validation, help and the JSON schema
 * derive from it.
 *
 * @param peak rate after the warm-up
 * @param warmupSteps steps of linear warm-up
 * @param cooldownSteps last steps of the run, in which the rate falls towards 0
 */
public record __Name__Options(
        @Setting(value = "Highest learning rate, above 0", min = 0)
        double peak,

        @Setting(value = "Steps in which the rate rises linearly from 0 to the peak", min = 1)
        long warmupSteps,

        @Setting(value = "Last steps, in which the rate falls linearly towards 0; 0 for none", min = 0)
        long cooldownSteps) {
    /** The defaults. */
    public __Name__Options() {
        this(3e-4, 100, 0);
    }
}
