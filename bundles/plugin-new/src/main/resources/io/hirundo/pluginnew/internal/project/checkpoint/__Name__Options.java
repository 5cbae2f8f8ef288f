package __package__;

import io.hirundo.strategy.Setting;

/**
 * What a configuration may say below {@code checkpoint.strategy.options}. Each component is documented and bounded by its
 * annotation; checks, help and the JSON schema come from there.
 *
 * @param keep checkpoints that stay; older ones are removed
 */
public record __Name__Options(
    @Setting(value = "Checkpoints that stay; older ones are removed", min = 1) int keep) {
  /** The defaults. */
  public __Name__Options() {
    this(3);
  }
}
