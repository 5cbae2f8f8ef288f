package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code checkpoint.strategy.options}. Each component's annotation documents and bounds it; validation, help and the JSON
 * schema derive from it.
 *
 * @param keep checkpoints to keep; older ones are deleted
 */
public record __Name__Options(
        @Setting(value = "Checkpoints to keep; older ones are deleted", min = 1)
        int keep) {
    /** The defaults. */
    public __Name__Options() {
        this(3);
    }
}
