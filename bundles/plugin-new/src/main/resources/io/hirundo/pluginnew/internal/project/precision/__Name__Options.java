package __package__;

import io.hirundo.strategy.Setting;

/**
 * What a configuration may say below {@code precision.options}. Each component is documented and bounded by its annotation;
 * checks, help and the JSON schema come from there.
 *
 * @param roundWeights whether products are made with weights rounded to bfloat16
 */
public record __Name__Options(
    @Setting("Whether products are made with weights rounded to bfloat16; parameters and sums stay binary32")
        boolean roundWeights) {
  /** The defaults. */
  public __Name__Options() {
    this(false);
  }
}
