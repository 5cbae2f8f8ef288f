package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code checkpoint.store.options}. Each component's annotation documents and bounds it; validation, help and the JSON
 * schema derive from it.
 *
 * @param path folder of all runs' copies
 */
public record __Name__Options(
        @Setting(value = "Folder that receives the copies, on another disk; it must exist", required = true)
        String path) {
    /** The defaults. */
    public __Name__Options() {
        this("");
    }
}
