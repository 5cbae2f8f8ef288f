package io.hirundo.lib.run.arguments;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts an argument that must be an integer above 0. */
public final class PositiveInteger implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        try {
            int value = Integer.parseInt(text);
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException notAnInteger) {
            // The exception below reports it.
        }
        throw new TypeConversionException("'" + text + "' is not an integer above 0");
    }
}
