package io.hirundo.tokenizerhf.internal.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ByteSizeTest {
    private final ByteSize.Converter converter = new ByteSize.Converter();

    @ParameterizedTest
    @CsvSource({
        "8MB,8000000",
        "8m,8000000",
        "1.5 GB,1500000000",
        "64KiB,65536",
        "2Gi,2147483648",
        "1,1",
        "10 b,10",
        "3TB,3000000000000"
    })
    void parsesSizes(String text, long bytes) {
        assertEquals(bytes, converter.convert(text).bytes());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "MB", "-1", "0", "0.4", "8 MBs", "1e6", "8PB", "9000000TB", "8ib", "1 i"})
    void rejectsInvalidSizes(String text) {
        assertThrows(TypeConversionException.class, () -> converter.convert(text));
    }
}
