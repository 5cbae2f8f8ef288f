package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code mesh.dataParallel.options}. Each component's annotation documents and bounds it; validation, help and the JSON schema
 * derive from it.
 *
 * @param overlap whether collectives run while the rank computes
 */
public record __Name__Options(
        @Setting(
                "Reduce gradients during the backward, and gather weights until the next forward begins; changes no bit")
        boolean overlap) {
    /** The defaults. */
    public __Name__Options() {
        this(true);
    }
}
