package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code mesh.contextParallel.options}. Each component's annotation documents and bounds it; validation, help and the JSON
 * schema derive from it.
 *
 * @param overlap whether attention over the rank's own keys runs while the others arrive
 */
public record __Name__Options(
        @Setting("Overlap attention over the local keys with the transfer of the others")
        boolean overlap) {
    /** The defaults. */
    public __Name__Options() {
        this(true);
    }
}
