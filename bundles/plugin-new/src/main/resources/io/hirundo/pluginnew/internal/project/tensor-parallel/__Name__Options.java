package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code mesh.tensorParallel.options}. Each component's annotation documents and bounds it; validation, help and the JSON
 * schema derive from it.
 *
 * @param attention whether the heads of attention are split
 */
public record __Name__Options(
        @Setting(
                "Split the heads of attention; false splits the MLPs alone, for models whose heads the ranks cannot divide")
        boolean attention) {
    /** The defaults. */
    public __Name__Options() {
        this(true);
    }
}
