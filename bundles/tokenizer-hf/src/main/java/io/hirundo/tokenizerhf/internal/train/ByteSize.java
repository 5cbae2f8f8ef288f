package io.hirundo.tokenizerhf.internal.train;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses sizes such as {@code 8MB}, {@code 1.5 GB}, {@code 64KiB}, {@code 1000000}.
 *
 * @param bytes number of bytes
 */
record ByteSize(long bytes) {
    private static final Pattern SPELLING = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,6})?)\\s*([kmgt]?i?b?)");
    private static final Map<String, Long> UNITS = Map.of(
            "",
            1L,
            "k",
            1000L,
            "m",
            1000_000L,
            "g",
            1000_000_000L,
            "t",
            1000_000_000_000L,
            "ki",
            1L << 10,
            "mi",
            1L << 20,
            "gi",
            1L << 30,
            "ti",
            1L << 40);

    /** Converter for picocli. */
    static final class Converter implements ITypeConverter<ByteSize> {
        @Override
        public ByteSize convert(String text) {
            var matcher = SPELLING.matcher(text.strip().toLowerCase(Locale.ROOT));
            Long unit = matcher.matches() ? UNITS.get(matcher.group(2).replace("b", "")) : null;
            if (unit == null) {
                throw new TypeConversionException("'" + text + "' is no size: write 8MB, 1.5GB or 64KiB for instance");
            }
            BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
            if (bytes.compareTo(BigDecimal.ONE) < 0 || bytes.toBigInteger().bitLength() > 62) {
                throw new TypeConversionException("'" + text + "' is not between 1 byte and 4 exabytes");
            }
            return new ByteSize(bytes.longValue());
        }
    }
}
