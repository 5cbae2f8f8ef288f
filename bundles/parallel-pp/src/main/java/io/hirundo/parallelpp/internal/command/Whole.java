package io.hirundo.parallelpp.internal.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An argument that is a whole number above 0; others are a misunderstanding of the command line. */
final class Whole implements ITypeConverter<Integer> {
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
    throw new TypeConversionException("'" + text + "' is not an integer above 0");
  }
}
