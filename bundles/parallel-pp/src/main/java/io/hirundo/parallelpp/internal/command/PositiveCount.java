package io.hirundo.parallelpp.internal.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses an integer above 0; anything else is a usage error. */
final class PositiveCount implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        try {
            int value = Integer.parseInt(text);
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException notAnInteger) {
            // Reported below, with the same message.
        }
        throw new TypeConversionException("'" + text + "' is not an integer above 0");
    }
}
