package __package__;

import io.hirundo.strategy.Setting;

/**
 * What a configuration may say below {@code monitors.[].options}. Each component is documented and bounded by its annotation;
 * checks, help and the JSON schema come from there.
 *
 * @param file name of the file, in the directory of the run
 * @param everySteps steps between two lines
 */
public record __Name__Options(
    @Setting("Name of the file, in the directory of the run") String file,
    @Setting(value = "Steps between two lines", min = 1) int everySteps) {
  /** The defaults. */
  public __Name__Options() {
    this("__name__.csv", 1);
  }
}
