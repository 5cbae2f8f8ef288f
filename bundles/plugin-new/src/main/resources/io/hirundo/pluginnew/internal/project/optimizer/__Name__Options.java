package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code optimizer.options}. Each component's annotation documents and bounds it; validation, help and the JSON schema
 * derive from it.
 *
 * @param momentum share of earlier gradients that a step keeps
 * @param weightDecay of matrices; vectors never decay
 */
public record __Name__Options(
        @Setting(value = "Share of earlier gradients that a step keeps, below 1", min = 0, max = 1)
        double momentum,

        @Setting(value = "Decoupled weight decay of matrices; vectors never decay", min = 0)
        double weightDecay) {
    /** The defaults. */
    public __Name__Options() {
        this(0.9, 0);
    }
}
