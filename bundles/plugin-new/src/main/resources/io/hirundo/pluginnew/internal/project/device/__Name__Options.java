package __package__;

import io.hirundo.device.ComputeBackend;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.ChoiceOf;
import io.hirundo.strategy.Setting;

/**
 * What a configuration may say below {@code device.options}. Each component is documented by its annotation; checks, help and the
 * JSON schema come from there.
 *
 * @param on the device that does what this one does not do itself
 */
public record __Name__Options(
    @Setting("The device that does what this one does not do itself") @ChoiceOf(ComputeBackend.class) Choice on) {
  /** The defaults. */
  public __Name__Options() {
    this(Choice.of("cpu"));
  }
}
