package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code monitors.[].options}. Each component's annotation documents and bounds it; validation, help and the JSON schema
 * derive from it.
 *
 * @param file name of the file, in the directory of the run
 * @param everySteps steps between two lines
 */
public record __Name__Options(
        @Setting("Name of the file, in the directory of the run")
        String file,

        @Setting(value = "Steps between two lines", min = 1) int everySteps) {
    /** The defaults. */
    public __Name__Options() {
        this("__name__.csv", 1);
    }
}
