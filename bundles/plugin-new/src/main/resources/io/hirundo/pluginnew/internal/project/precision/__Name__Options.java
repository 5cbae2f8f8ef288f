package __package__;

import io.hirundo.strategy.Setting;

/**
 * Settings below {@code precision.options}. Each component's annotation documents and bounds it; validation, help and the JSON schema
 * derive from it.
 *
 * @param roundWeights whether GEMMs use weights rounded to bfloat16
 */
public record __Name__Options(
        @Setting("Whether GEMMs use weights rounded to bfloat16; parameters and accumulators stay in fp32")
        boolean roundWeights) {
    /** The defaults. */
    public __Name__Options() {
        this(false);
    }
}
