package io.hirundo.trainer.internal.binding;

import io.hirundo.strategy.Choice;

/** Checks choices against the strategies that are there. */
public interface ChoiceResolver {
  /**
   * Checks a choice and completes its options with the strategy's defaults.
   *
   * @param contract what the strategy must fulfil
   * @param path where the choice stands
   * @param problems receives what is wrong with it
   * @return the complete choice, or the given one if there were problems
   */
  Choice resolve(Class<?> contract, Choice choice, String path, Problems problems);

  /** Takes every choice as it is. */
  static ChoiceResolver unchecked() {
    return (contract, choice, path, problems) -> choice;
  }
}
