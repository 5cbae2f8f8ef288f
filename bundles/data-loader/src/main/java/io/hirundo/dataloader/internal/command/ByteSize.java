package io.hirundo.dataloader.internal.command;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes as people write them: {@code 20MB}, {@code 1.5GiB}, {@code 4096}. */
final class ByteSize implements ITypeConverter<Long> {
    private static final Pattern SIZE =
            Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([kmgt]?i?b?)", Pattern.CASE_INSENSITIVE);
    private static final Map<String, Long> UNITS = Map.of(
            "",
            1L,
            "k",
            1_000L,
            "m",
            1_000_000L,
            "g",
            1_000_000_000L,
            "t",
            1_000_000_000_000L,
            "ki",
            1L << 10,
            "mi",
            1L << 20,
            "gi",
            1L << 30,
            "ti",
            1L << 40);

    @Override
    public Long convert(String value) {
        Matcher matcher = SIZE.matcher(value.strip());
        if (matcher.matches()) {
            String unit = matcher.group(2).toLowerCase(Locale.ROOT).replaceFirst("b$", "");
            long bytes = UNITS.containsKey(unit) ? (long) (Double.parseDouble(matcher.group(1)) * UNITS.get(unit)) : 0;
            if (bytes > 0) {
                return bytes;
            }
        }
        throw new TypeConversionException("'" + value + "' is no size above 0, such as 20MB, 1.5GB or 512KiB");
    }

    /** A size for people: three digits or so. */
    static String show(long bytes) {
        for (var unit : new String[] {"", "k", "M", "G"}) {
            double value = bytes / (double) UNITS.get(unit.toLowerCase(Locale.ROOT));
            if (value < 1_000 || unit.equals("G")) {
                return String.format(
                        Locale.ROOT, unit.isEmpty() || value >= 100 ? "%.0f %sB" : "%.1f %sB", value, unit);
            }
        }
        throw new IllegalStateException();
    }
}
