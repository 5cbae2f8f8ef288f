package io.hirundo.regress.mutations;

import io.hirundo.trainer.internal.strategy.Offer;
import java.util.List;

/**
 * A fault to plant.
 *
 * @param name what is wrong
 * @param setting {@code PATH=VALUE} each, of the training that has it
 * @param planted the strategy that has it; it takes the place of the sound one with the same name
 * @param isSwapped whether a swap of precisions can bring it in
 * @param unnoticed why it is not noticed, by those that do not notice it
 */
record Fault(String name, List<String> setting, Offer planted, boolean isSwapped, Unnoticed unnoticed) {
  /**
   * Empty for what notices the fault.
   *
   * @param gate why the swap gate lets it pass
   * @param regress why {@code regress check} does
   * @param audit why the audit does
   */
  record Unnoticed(String gate, String regress, String audit) {
    static final Unnoticed BY_NOBODY = new Unnoticed("", "", "");

    Unnoticed gate(String why) {
      return new Unnoticed(why, regress, audit);
    }

    Unnoticed regress(String why) {
      return new Unnoticed(gate, why, audit);
    }

    Unnoticed audit(String why) {
      return new Unnoticed(gate, regress, why);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
