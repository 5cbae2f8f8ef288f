package io.hirundo.trainer.internal.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An argument that is a whole number above 0; others are a misunderstanding of the command line. */
final class PositiveInteger implements ITypeConverter<Integer> {
  @Override
  public Integer convert(String text) {
    try {
      int value = Integer.parseInt(text);
      if (value > 0) {
        return value;
      }
    } catch (NumberFormatException notAnInteger) {
      // Told below, in the same words.
    }
    throw new TypeConversionException("'" + text + "' is not a whole number above 0");
  }
}
